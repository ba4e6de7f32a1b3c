// A receipt: the author alone learns up to when messages have arrived and were read. One covers all before it.
import { type AccountId, type ChatId, clientLimits } from '@postern/protocol'
import { noteReached, reachedBy } from '../chats/records/member-receipts.ts'
import { applyMark } from '../fork-detection/compare-marks.ts'
import { personOf } from '../identity/people.ts'
import { appendForPeople } from '../journal/journal.ts'
import { messagesBetween } from '../messages/messages.ts'
import { applied, ignored, type Outcome } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'
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

/** Whoever is told of a receipt that covers many messages hears of each that it is new for. */
function applyReceipt(
  core: ApplyContext,
  database: Database,
  { chat, sender: from, body }: ContentEventOf<'receipt'>,
): Outcome {
  const member = reachedBy(database, chat.id, from)
  if (!member) return ignored('no such member')
  const deliveredTs = Math.max(body.deliveredTs, body.readTs)
  noteReached(database, { chat: chat.id, account: from, deliveredTs, readTs: body.readTs })
  // Nobody is told: the messages need not be looked up.
  if (!core.reportsAll) return applied
  tell(core, database, { chat: chat.id, from, status: 'delivered', after: member.deliveredTs, upTo: deliveredTs })
  tell(core, database, { chat: chat.id, from, status: 'read', after: member.readTs, upTo: body.readTs })
  return applied
}

type Covered = { chat: ChatId; from: AccountId; status: 'delivered' | 'read'; after: number; upTo: number }

function tell(core: ApplyContext, database: Database, { chat, from, status, after, upTo }: Covered): void {
  const span = { chat, sender: core.own.id, after, upTo }
  for (const id of messagesBetween(database, span, clientLimits.receiptToldMessagesMax)) {
    const told = { message_id: id, from: personOf(database, from), status }
    appendForPeople(core, database, { type: 'receipt', chat_id: chat, receipt: told })
  }
}
