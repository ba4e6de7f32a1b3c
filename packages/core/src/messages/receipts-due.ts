// Receipts that are due: an author learns that a message has arrived and was read.
// They are cumulative, so a burst costs one.
import { type AccountId, type ChatId, clientLimits } from '@postern/protocol'
import type { ChatRow } from '../chats/records/chats.ts'
import { hasMoreMembers } from '../chats/records/member-receipts.ts'
import type { Core } from '../context.ts'
import type { Database } from '../storage/database.ts'

export type DueReceipt = { chat_id: ChatId; author: AccountId; delivered_ts: number; read_ts: number }

export function owesReceipt(
  core: Pick<Core, 'rescheduleTimers' | 'arrived'>,
  database: Database,
  due: { chat: ChatRow; author: AccountId; deliveredTs: number; readTs: number },
): void {
  if (due.chat.blocked) return
  if (due.chat.type === 'group' && isLarge(database, due.chat.id)) return
  database.run(
    `INSERT INTO receipt_due VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       delivered_ts = max(delivered_ts, excluded.delivered_ts), read_ts = max(read_ts, excluded.read_ts)`,
    due.chat.id,
    due.author,
    due.deliveredTs,
    due.readTs,
  )
  // A person has read the message, and the author waits to see that. Unlike arrivals, this is no stream.
  if (due.readTs > 0) core.rescheduleTimers()
  else core.arrived()
}

const isLarge = (database: Database, chat: ChatId): boolean =>
  hasMoreMembers(database, chat, clientLimits.receiptsGroupMembersMax)

/** Receipts in requests wait: nothing is sent in a request before it is accepted. */
export const dueReceipts = ({ store }: Pick<Core, 'store'>): DueReceipt[] =>
  store.all<DueReceipt>(
    `SELECT receipt_due.* FROM receipt_due CROSS JOIN chat ON chat.id = receipt_due.chat_id
     WHERE chat.state = 'active' AND chat.blocked = 0`,
  )

/** The receipt was sent: it is no longer due, unless more has arrived or was read meanwhile. */
export function settleReceipt(database: Database, { chat_id, author, delivered_ts, read_ts }: DueReceipt): void {
  database.run(
    'DELETE FROM receipt_due WHERE chat_id = ? AND author = ? AND delivered_ts <= ? AND read_ts <= ?',
    chat_id,
    author,
    delivered_ts,
    read_ts,
  )
}

/** Authors get the receipts that their messages have arrived, and not that they were read. */
export function forgetReadsDue(database: Database): void {
  database.run('UPDATE receipt_due SET read_ts = 0')
}

/** No author in that chat gets a receipt. */
export function forgetReceipts(database: Database, chat: ChatId): void {
  database.run('DELETE FROM receipt_due WHERE chat_id = ?', chat)
}
