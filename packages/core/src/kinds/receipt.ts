// A receipt: only the author learns up to when messages have arrived and were read. One covers all earlier messages.
import type { ReceiptEvent } from '@postern/bot-api/events'
import type { Person } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, clientLimits, type MessageId } from '@postern/protocol'
import { noteReached, reachedBy } from '../chats/records/member-receipts.ts'
import { applyMark } from '../fork-detection/compare-marks.ts'
import { personOf } from '../identity/people.ts'
import { appendForPeople } from '../journal/journal.ts'
import { appendReceipt, areReceiptsWanted } from '../journal/receipt-events.ts'
import { messagesBetween } from '../messages/messages.ts'
import { applied, ignored, type Outcome } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'
import { hasReadReceipts } from '../storage/state/read-receipts.ts'
import type { ContentBodies, ContentEventOf } from './content-event.ts'
import type { ApplyContext, Kind } from './kind.ts'

export const receipt = {
  way: 'to one member',
  body: (_core, _chat, asked) => ({ kind: 'receipt', ...asked }),
  apply: (core, database, said) => {
    const outcome = applyReceipt(core, database, said)
    const { sender: from, ts } = said
    const compared = (said.body.marks ?? []).map(mark => applyMark(core, database, { from, ts, mark }))
    return [outcome, ...compared].find(one => one.kind === 'ignored') ?? applied
  },
} satisfies Kind<'receipt', Omit<ContentBodies['receipt'], 'kind'>>

/** A receipt may cover many messages: there is one event for each message for which it is new. */
function applyReceipt(
  core: ApplyContext,
  database: Database,
  { chat, sender: from, body }: ContentEventOf<'receipt'>,
): Outcome {
  const member = reachedBy(database, chat.id, from)
  if (!member) return ignored('no such member')
  const deliveredTs = Math.max(body.deliveredTs, body.readTs)
  // An owner who tells nobody what was read does not learn it from others either.
  const readTs = hasReadReceipts(database) ? body.readTs : 0
  noteReached(database, { chat: chat.id, account: from, deliveredTs, readTs })
  // There is no event, so the messages need not be looked up.
  if (!core.reportsAll && !areReceiptsWanted(database)) return applied
  tell(core, database, { chat: chat.id, from, status: 'delivered', after: member.deliveredTs, upTo: deliveredTs })
  tell(core, database, { chat: chat.id, from, status: 'read', after: member.readTs, upTo: readTs })
  return applied
}

type Covered = { chat: ChatId; from: AccountId; status: 'delivered' | 'read'; after: number; upTo: number }

function tell(core: ApplyContext, database: Database, { chat, from, status, after, upTo }: Covered): void {
  const span = { chat, sender: core.own.id, after, upTo }
  for (const id of messagesBetween(database, span, clientLimits.receiptToldMessagesMax)) {
    const told = { message_id: id, from: personOf(database, from) }
    if (core.reportsAll)
      appendForPeople(core, database, { type: 'receipt', chat_id: chat, receipt: { ...told, status } })
    else appendReceipt(core, database, forOperator(chat, status, told))
  }
}

type Told = { message_id: MessageId; from: Person }

const forOperator = (chat: ChatId, status: Covered['status'], told: Told): ReceiptEvent =>
  status === 'delivered'
    ? { type: 'delivered', chat_id: chat, delivered: told }
    : { type: 'read', chat_id: chat, read: told }
