// Groups whose keys this account has lost, and whom it has asked to add it anew.
import type { GroupId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import type { ChatGroup } from './chats-by-group.ts'

type Reads = Pick<Store, 'get' | 'all'>

/** The first of them may have answered already, and not been believed. */
export function noteMembersAsked(database: Database, group: GroupId, nowMs: number): void {
  database.run("INSERT OR IGNORE INTO rejoin_asked (group_id, asked_ms, whom) VALUES (?, ?, 'members')", group, nowMs)
}

/** Who added this account anew was no admin, and told what only an admin may: the admins are next, once. */
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

/** The relay was restored, and may have lost what the members were asked. */
export function forgetAllAsked(database: Database): void {
  database.run('DELETE FROM rejoin_asked')
}

/** This account is in the group again, added anew or by itself: its next loss is another one. */
export function forgetAsked(database: Database, group: GroupId): void {
  database.run('DELETE FROM rejoin_asked WHERE group_id = ?', group)
}
