// The accounts that have asked for a place in a group by a link of this account.
import type { AccountId, ChatId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

export type JoinRequest = { token: string; account: AccountId }

const OF_CHAT = 'token IN (SELECT token FROM group_link WHERE chat_id = ?)'

/** False if this account has asked by this link before, or may not ask by it. */
export const insertRequest = (database: Database, { token, account, ts }: JoinRequest & { ts: number }): boolean =>
  database.run(
    "INSERT OR IGNORE INTO join_request (token, account_id, ts, state) VALUES (?, ?, ?, 'waiting')",
    token,
    account,
    ts,
  ).changes > 0

/** Oldest first. */
export const waitingRequests = (reads: Reads, chat: ChatId): { account: AccountId; ts: number }[] =>
  reads.all<{ account: AccountId; ts: number }>(
    `SELECT account_id AS account, ts FROM join_request WHERE state = 'waiting' AND ${OF_CHAT} ORDER BY ts, account_id`,
    chat,
  )

export const waitsToJoin = (reads: Reads, chat: ChatId, account: AccountId): boolean =>
  waitingRequests(reads, chat).some(request => request.account === account)

/** The answer is due. False if the account does not wait. */
export const noteDeclined = (database: Database, chat: ChatId, account: AccountId): boolean =>
  database.run(
    `UPDATE join_request SET state = 'answer-due' WHERE state = 'waiting' AND account_id = ? AND ${OF_CHAT}`,
    account,
    chat,
  ).changes > 0

export const answersDue = (reads: Reads): JoinRequest[] =>
  reads.all<JoinRequest>("SELECT token, account_id AS account FROM join_request WHERE state = 'answer-due'")

/** The row stays as long as its link: the account cannot ask by it again. */
export function noteJoinAnswered(database: Database, { token, account }: JoinRequest): void {
  database.run(
    "UPDATE join_request SET state = 'declined' WHERE state = 'answer-due' AND token = ? AND account_id = ?",
    token,
    account,
  )
}

/** A member has added the account. If it leaves, it may ask again. */
export function forgetRequests(database: Database, chat: ChatId, account: AccountId): void {
  database.run(`DELETE FROM join_request WHERE account_id = ? AND ${OF_CHAT}`, account, chat)
}

/**
 * An admin has removed the account. It cannot ask by the links that there are now: neither again, nor by a request that
 * the relay has held back until now.
 */
export function excludeRemoved(database: Database, chat: ChatId, account: AccountId): void {
  database.run(
    `INSERT OR REPLACE INTO join_request (token, account_id, ts, state)
     SELECT token, ?, 0, 'declined' FROM group_link WHERE chat_id = ?`,
    account,
    chat,
  )
}

/** Its owner has blocked the account. */
export function forgetWaiting(database: Database, account: AccountId): void {
  database.run("DELETE FROM join_request WHERE account_id = ? AND state = 'waiting'", account)
}
