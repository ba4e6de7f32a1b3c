// Members who have asked to be added anew, because their keys to a group are lost: the records.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { findGroup } from '../../groups/group-records.ts'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { findChat, isMember } from './chats.ts'

export type Rejoin = { group: GroupId; account: AccountId }
type Wanted = Rejoin & { isNewcomer: boolean }

/** False for whoever is no member. */
export function noteRejoin(
  core: Pick<Core, 'wakeChores' | 'rescheduleTimers'>,
  database: Database,
  { group, account }: Rejoin,
): boolean {
  const named = findGroup(database, group)
  // The chat may have been carried on by another group since.
  const current = named && findGroup(database, findChat(database, named.chat_id)?.group_id ?? group)
  // Whoever is no member asks in vain: this is no way into a group. Who is lost itself helps when it is well again.
  if (!named || !current || !isMember(database, named.chat_id, account)) return false
  database.run('INSERT OR IGNORE INTO rejoin (group_id, account_id) VALUES (?, ?)', current.id, account)
  core.wakeChores()
  // It may be the one by which it is clear that everybody has lost the group.
  core.rescheduleTimers()
  return true
}

/** Somebody else was faster, or the account is gone. */
export function forgetRejoin(database: Database, { group, account }: Rejoin): void {
  database.run('DELETE FROM rejoin WHERE group_id = ? AND account_id = ?', group, account)
}

const OF_CHAT = 'group_id IN (SELECT id FROM mls_group WHERE chat_id = ?)'

/**
 * The chat goes on in another group, with everybody in it: the wishes for those before are past. Newcomers that are not in it
 * either still wait. Asked when the members are those of the group in force.
 */
export function forgetRejoins(database: Database, chat: ChatId, { inForce }: { inForce: GroupId }): void {
  database.run(`DELETE FROM rejoin WHERE ${OF_CHAT} AND newcomer = 0`, chat)
  database.run(`UPDATE OR REPLACE rejoin SET group_id = ? WHERE ${OF_CHAT}`, inForce, chat)
  database.run(
    'DELETE FROM rejoin WHERE group_id = ? AND account_id IN (SELECT account_id FROM member WHERE chat_id = ?)',
    inForce,
    chat,
  )
}

/** How many members have lost the group, and say so. */
export const countRejoins = (reads: Pick<Store, 'all'>, group: GroupId): number =>
  reads.all('SELECT 1 FROM rejoin WHERE group_id = ? AND newcomer = 0', group).length

export const wantedRejoins = (reads: Pick<Store, 'all'>): Wanted[] =>
  reads
    .all<Rejoin & { newcomer: number }>(
      `SELECT rejoin.group_id AS "group", account_id AS account, newcomer FROM rejoin
         CROSS JOIN mls_group ON mls_group.id = rejoin.group_id
       WHERE mls_group.status = 'open' AND newcomer <> 2`,
    )
    .map(({ newcomer, ...rejoin }) => ({ ...rejoin, isNewcomer: newcomer === 1 }))
