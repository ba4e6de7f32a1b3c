// The times up to which each member of a chat has received and read messages: columns of the members' table.
import type { AccountId, ChatId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>
export type ReceiptTimes = { deliveredTs: number; readTs: number }

/** Undefined when the account is no member. */
export const reachedBy = (reads: Reads, chat: ChatId, account: AccountId): ReceiptTimes | undefined =>
  reads.get<ReceiptTimes>(
    `SELECT delivered_ts AS "deliveredTs", read_ts AS "readTs" FROM member WHERE chat_id = ? AND account_id = ?`,
    chat,
    account,
  )

/** The latest time that any member has received, and has read. */
export function furthestReached(reads: Reads, chat: ChatId): ReceiptTimes {
  const row = reads.get<{ delivered: number | null; read: number | null }>(
    'SELECT max(delivered_ts) AS delivered, max(read_ts) AS read FROM member WHERE chat_id = ?',
    chat,
  )
  return { deliveredTs: row?.delivered ?? 0, readTs: row?.read ?? 0 }
}

/** The same for each chat. */
export function furthestReachedInEach(reads: Reads): Map<ChatId, ReceiptTimes> {
  const rows = reads.all<ReceiptTimes & { chat: ChatId }>(
    `SELECT chat_id AS chat, max(delivered_ts) AS "deliveredTs", max(read_ts) AS "readTs" FROM member GROUP BY chat_id`,
  )
  return new Map(rows.map(row => [row.chat, row]))
}

/** The times never go back. */
export function noteReached(
  database: Database,
  { chat, account, deliveredTs, readTs }: ReceiptTimes & { chat: ChatId; account: AccountId },
): void {
  database.run(
    `UPDATE member SET delivered_ts = max(delivered_ts, ?), read_ts = max(read_ts, ?)
     WHERE chat_id = ? AND account_id = ?`,
    deliveredTs,
    readTs,
    chat,
    account,
  )
}

/** Nobody has read anything, as far as this client knows. */
export function forgetReads(database: Database): void {
  database.run('UPDATE member SET read_ts = 0 WHERE read_ts > 0')
}

/** Whether the chat has more than this number of members. Asked with every message, so it does not count them all. */
export const hasMoreMembers = (reads: Reads, chat: ChatId, than: number): boolean =>
  reads.get('SELECT 1 FROM member WHERE chat_id = ? LIMIT 1 OFFSET 0 + ?', chat, than) !== undefined
