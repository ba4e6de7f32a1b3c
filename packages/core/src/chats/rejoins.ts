// Members who have asked to be added anew, because their keys to a group are lost: the records.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/store.ts'
import { findChat, isMember } from './chats.ts'

export type Rejoin = { group: GroupId; account: AccountId }

/** False for whoever is no member. */
export function noteRejoin(
  core: Pick<Core, 'poke' | 'rearm'>,
  database: Database,
  { group, account }: Rejoin,
): boolean {
  const named = findGroup(database, group)
  // The chat may have been carried on by another group since.
  const current = named && findGroup(database, findChat(database, named.chat_id)?.group_id ?? group)
  // Whoever is no member asks in vain: this is no way into a group. Who is lost itself helps when it is well again.
  if (!named || !current || !isMember(database, named.chat_id, account)) return false
  database.run('INSERT OR IGNORE INTO rejoin (group_id, account_id) VALUES (?, ?)', current.id, account)
  core.poke()
  // It may be the one by which it is clear that everybody has lost the group.
  core.rearm()
  return true
}

/** Somebody else was faster, or the account is gone. */
export function forgetRejoin(database: Database, { group, account }: Rejoin): void {
  database.run('DELETE FROM rejoin WHERE group_id = ? AND account_id = ?', group, account)
}

/** The chat goes on in another group, with everybody in it: the wishes for those before are past. */
export function forgetRejoins(database: Database, chat: ChatId): void {
  database.run('DELETE FROM rejoin WHERE group_id IN (SELECT id FROM mls_group WHERE chat_id = ?)', chat)
}

/** How many members have lost the group, and say so. */
export const countRejoins = (reads: Pick<Store, 'all'>, group: GroupId): number =>
  reads.all('SELECT 1 FROM rejoin WHERE group_id = ?', group).length

export const wantedRejoins = (reads: Pick<Store, 'all'>): Rejoin[] =>
  reads.all<Rejoin>(
    `SELECT group_id AS "group", account_id AS account FROM rejoin
     WHERE group_id IN (SELECT id FROM mls_group WHERE status = 'open')`,
  )
