// The records of members who asked to be added again because they lost their keys to a group.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { findGroup, type StoredGroup, waitNoLonger } from '../../groups/group-records.ts'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { findChat, isMember, membersOf } from './chats.ts'

export type Rejoin = { group: GroupId; account: AccountId }
type Wanted = Rejoin & { isNewcomer: boolean }

/** False if the account is no member. */
export function noteRejoin(
  core: Pick<Core, 'own' | 'elapsed' | 'wakeChores' | 'rescheduleTimers'>,
  database: Database,
  { group, account }: Rejoin,
): boolean {
  const named = findGroup(database, group)
  // Another group may have carried the chat on since.
  const current = named && findGroup(database, findChat(database, named.chat_id)?.group_id ?? group)
  // Only a member is added again: this is no way into a group.
  // A member that has lost the keys itself helps once it has new ones.
  if (!named || !current || !isMember(database, named.chat_id, account)) return false
  if (!mayHelp(database, named, current)) return false
  database.run('INSERT OR IGNORE INTO rejoin (group_id, account_id) VALUES (?, ?)', current.id, account)
  if (haveOthersLost(core, database, { chat: named.chat_id, group: current.id }))
    waitNoLonger(database, current.id, core.elapsed.nowMs())
  core.wakeChores()
  // This request may be the one that shows that all members have lost the group.
  core.rescheduleTimers()
  return true
}

/**
 * This client answers neither in a request nor to a blocked person. In a private chat only the group in force counts: a
 * later one has healed the chat, and a person with working keys would refuse to be removed from it.
 */
function mayHelp(database: Database, named: StoredGroup, current: StoredGroup): boolean {
  const chat = findChat(database, named.chat_id)
  if (chat?.state !== 'active') return false
  return chat.type === 'group' || (named.id === current.id && chat.blocked === 0)
}

/** The account is in the group, or gone. True if it was waiting to be added. */
export const forgetRejoin = (database: Database, { group, account }: Rejoin): boolean =>
  database.run('DELETE FROM rejoin WHERE group_id = ? AND account_id = ?', group, account).changes > 0

const OF_CHAT = 'group_id IN (SELECT id FROM mls_group WHERE chat_id = ?)'

/**
 * The chat continues in another group, with everyone in it: requests for the earlier ones are obsolete. Newcomers that
 * are not in it either still wait. Called when the members are those of the group in force.
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

/** The commit that this account could not read has added them, says the relay: they have keys. */
export function forgetAdded(database: Database, group: GroupId, added: readonly AccountId[]): void {
  for (const account of added)
    database.run('DELETE FROM rejoin WHERE group_id = ? AND account_id = ? AND newcomer = 0', group, account)
}

/** Whether all other members have reported the loss of the group: then nobody is left who could add this account again. */
export function haveOthersLost(
  { own }: Pick<Core, 'own'>,
  reads: Pick<Store, 'get' | 'all'>,
  { chat, group }: { chat: ChatId; group: GroupId },
): boolean {
  const others = othersIn(reads, chat, own.id)
  return others > 0 && countRejoins(reads, group) >= others
}

/** The number of members that could help. */
export const othersIn = (reads: Pick<Store, 'get' | 'all'>, chat: ChatId, own: AccountId): number =>
  membersOf(reads, chat).filter(member => !member.leaving && member.account_id !== own).length

/** The number of members that have reported the loss of the group. */
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
