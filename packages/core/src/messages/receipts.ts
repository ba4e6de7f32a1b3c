// Receipts: the author alone learns that a message has arrived and was read. Cumulative, so that a burst costs one.
import { type AccountId, type ChatId, clientLimits, type Deadline, isAccountId } from '@postern/protocol'
import type { ChatRow } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import { noteTold, untoldMarks } from './compare-marks.ts'
import { sendDirect } from './send-direct.ts'

export type DueReceipt = { chat_id: ChatId; author: AccountId; delivered_ts: number; read_ts: number }
export type Receipt = { chat: ChatId; from: AccountId; deliveredTs: number; readTs: number }

/** How many own messages of the past one receipt is told for, one by one. */
const TOLD_MAX = 100

export function owesReceipt(
  core: Core,
  database: Database,
  due: { chat: ChatRow; author: AccountId; deliveredTs: number; readTs: number },
): void {
  if (due.chat.type === 'group' && isLarge(database, due.chat.id)) return
  database.run(
    `INSERT INTO receipt_due VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       delivered_ts = max(delivered_ts, excluded.delivered_ts), read_ts = max(read_ts, excluded.read_ts)`,
    due.chat.id,
    due.author,
    due.deliveredTs,
    due.readTs,
  )
  core.rearm()
}

const isLarge = (database: Database, chat: ChatId): boolean =>
  database.get(
    `SELECT 1 FROM member WHERE chat_id = ? LIMIT 1 OFFSET ${clientLimits.receiptsGroupMembersMax}`,
    chat,
  ) !== undefined

/** Not for requests: nothing is said in them before they are accepted. */
export const dueReceipts = (core: Core): DueReceipt[] =>
  core.store.all<DueReceipt>(
    `SELECT receipt_due.* FROM receipt_due JOIN chat ON chat.id = receipt_due.chat_id WHERE chat.state = 'active'`,
  )

export async function sendReceipt(core: Core, due: DueReceipt, deadline: Deadline): Promise<void> {
  const { chat_id: chat, author: to, delivered_ts: deliveredTs, read_ts: readTs } = due
  const marks = isAccountId(chat) ? untoldMarks(core, to) : []
  const body = { kind: 'receipt' as const, deliveredTs, readTs, ...(marks.length > 0 && { marks }) }
  const outcome = await sendDirect(core, { chat, to }, { body, deadline })
  // It stays due: the author is told when the chat has healed.
  if (outcome === 'broken') return
  await core.store.write(database => {
    noteTold(database, to, marks)
    database.run(
      'DELETE FROM receipt_due WHERE chat_id = ? AND author = ? AND delivered_ts <= ? AND read_ts <= ?',
      chat,
      to,
      deliveredTs,
      readTs,
    )
  }, 'recorded')
}

/** Whoever is told of a receipt that covers many messages hears of each that it is new for. */
export function takeReceipt(core: Core, database: Database, receipt: Receipt): void {
  const { chat, from } = receipt
  const member = database.get<{ delivered_ts: number; read_ts: number }>(
    'SELECT delivered_ts, read_ts FROM member WHERE chat_id = ? AND account_id = ?',
    chat,
    from,
  )
  if (!member) return
  const deliveredTs = Math.max(receipt.deliveredTs, receipt.readTs)
  database.run(
    `UPDATE member SET delivered_ts = max(delivered_ts, ?), read_ts = max(read_ts, ?)
     WHERE chat_id = ? AND account_id = ?`,
    deliveredTs,
    receipt.readTs,
    chat,
    from,
  )
  if (!core.reportsAll) return
  tell(core, database, { chat, from, status: 'delivered', after: member.delivered_ts, upTo: deliveredTs })
  tell(core, database, { chat, from, status: 'read', after: member.read_ts, upTo: receipt.readTs })
}

type Told = { chat: ChatId; from: AccountId; status: 'delivered' | 'read'; after: number; upTo: number }

function tell(core: Core, database: Database, { chat, from, status, after, upTo }: Told): void {
  const rows = database.all<{ id: string }>(
    'SELECT id FROM message WHERE chat_id = ? AND sender = ? AND ts > ? AND ts <= ? ORDER BY ts DESC LIMIT ?',
    chat,
    core.own.id,
    after,
    upTo,
    TOLD_MAX,
  )
  for (const { id } of rows.reverse()) {
    const receipt = { message_id: id, from: personOf(database, from), status }
    appendEvent(core, database, { type: 'receipt', chat_id: chat, receipt })
  }
}
