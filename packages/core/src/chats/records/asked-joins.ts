// The groups in which this account has asked for a place, by links of their admins.
import { type AccountId, clientLimits } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

type LinkOf = { account: AccountId; token: string }

/** The title is that of the link: a claim. */
export type AskedJoin = LinkOf & { title: string; ts: number; state: 'waiting' | 'declined' }

const COLUMNS = 'account_id AS account, token, title, asked_ms AS ts, state'
const IS_SENT = "state <> 'unsent'"

/** Oldest first. A request that the relay does not have is not among them. */
export const askedJoins = (reads: Reads): AskedJoin[] =>
  reads.all<AskedJoin>(`SELECT ${COLUMNS} FROM asked_join WHERE ${IS_SENT} ORDER BY asked_ms, account_id, token`)

export const findAsked = (reads: Reads, { account, token }: LinkOf): AskedJoin | undefined =>
  reads.get<AskedJoin>(
    `SELECT ${COLUMNS} FROM asked_join WHERE account_id = ? AND token = ? AND ${IS_SENT}`,
    account,
    token,
  )

/** It counts from the moment at which the relay is known to have the request. The oldest beyond the limit is forgotten. */
export function noteAsking(database: Database, { account, token, title, ts }: Omit<AskedJoin, 'state'>): void {
  database.run(
    `INSERT INTO asked_join (account_id, token, title, asked_ms, state) VALUES (?, ?, ?, ?, 'unsent')
     ON CONFLICT DO UPDATE SET title = excluded.title, asked_ms = excluded.asked_ms WHERE state = 'unsent'`,
    account,
    token,
    title,
    ts,
  )
  database.run(
    `DELETE FROM asked_join WHERE (account_id, token) IN
       (SELECT account_id, token FROM asked_join ORDER BY asked_ms DESC, account_id, token LIMIT -1 OFFSET ?)`,
    clientLimits.joinsAskedMax,
  )
}

export function noteAskSent(database: Database, { account, token }: LinkOf): void {
  database.run(
    "UPDATE asked_join SET state = 'waiting' WHERE account_id = ? AND token = ? AND state = 'unsent'",
    account,
    token,
  )
}

/** False if this account has not asked that one by this link. */
export const noteAskDeclined = (database: Database, { account, token }: LinkOf): boolean =>
  database.run(
    "UPDATE asked_join SET state = 'declined' WHERE account_id = ? AND token = ? AND state <> 'declined'",
    account,
    token,
  ).changes > 0

export const forgetAskedJoin = (database: Database, { account, token }: LinkOf): boolean =>
  database.run('DELETE FROM asked_join WHERE account_id = ? AND token = ?', account, token).changes > 0

/**
 * That account has added this one to a group. True if its owner has asked it for a place: each request serves one
 * group, if possible the one of the same title.
 */
export const redeemAsked = (database: Database, { inviter, title }: { inviter: AccountId; title: string }): boolean =>
  database.run(
    `DELETE FROM asked_join WHERE account_id = ? AND token =
       (SELECT token FROM asked_join WHERE account_id = ? AND state = 'waiting'
        ORDER BY title <> ?, asked_ms, token LIMIT 1)`,
    inviter,
    inviter,
    title,
  ).changes > 0
