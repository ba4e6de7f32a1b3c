// Groups whose keys this account has lost, and the members that it has asked to add it again.
import type { GroupId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import type { ChatGroup } from './chats-by-group.ts'

type Reads = Pick<Store, 'get' | 'all'>

/** The first member asked may have answered already without being believed. */
export function noteMembersAsked(database: Database, group: GroupId, nowMs: number): void {
  database.run("INSERT OR IGNORE INTO rejoin_asked (group_id, asked_ms, whom) VALUES (?, ?, 'members')", group, nowMs)
}

/**
 * A member who is no admin added this account again and claimed what only an admin may.
 * The admins are asked next, once.
 */
export function wantAdminsAsked(database: Database, group: GroupId, nowMs: number): void {
  database.run(
    `INSERT INTO rejoin_asked (group_id, asked_ms, whom) VALUES (?, ?, 'admins-next')
     ON CONFLICT DO UPDATE SET whom = excluded.whom WHERE whom = 'members'`,
    group,
    nowMs,
  )
}

export function noteAdminsAsked(database: Database, group: GroupId): void {
  database.run("UPDATE rejoin_asked SET whom = 'admins' WHERE group_id = ?", group)
}

export const chatsToAskAdmins = (reads: Reads): ChatGroup[] =>
  reads.all<ChatGroup>(
    `SELECT chat.id AS chat, chat.group_id AS "group" FROM rejoin_asked
       CROSS JOIN mls_group ON mls_group.id = rejoin_asked.group_id
       CROSS JOIN chat ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id
     WHERE rejoin_asked.whom = 'admins-next' AND chat.state = 'active'`,
  )

export const hasAskedBefore = (reads: Reads, ms: number): boolean =>
  reads.get('SELECT 1 FROM rejoin_asked WHERE asked_ms < ?', ms) !== undefined

/** Nobody has helped: others are asked. */
export function forgetAskedBefore(database: Database, ms: number): void {
  database.run('DELETE FROM rejoin_asked WHERE asked_ms < ?', ms)
}

/** The relay was restored, and may have lost the requests to the members. */
export function forgetAllAsked(database: Database): void {
  database.run('DELETE FROM rejoin_asked')
}

/** This account is in the group again, by a welcome or by its own successor: the next loss is a new one. */
export function forgetAsked(database: Database, group: GroupId): void {
  database.run('DELETE FROM rejoin_asked WHERE group_id = ?', group)
}
