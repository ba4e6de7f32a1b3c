// Accounts that a commit has removed from a group chat, that a new group has left out, or that have left themselves.
// A member that missed it may carry the group on with them.
import type { AccountId, ChatId } from '@postern/protocol'
import { findGroup, type StoredGroup } from '../../groups/group-records.ts'
import type { GroupPlace } from '../../judge/successor.ts'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { findChat, isAdmin, isMember, isStaying, membersOf } from './chats.ts'
import { endFarewells, leaversOf } from './farewells.ts'

type Reads = Pick<Store, 'get' | 'all'>
type Place = Omit<GroupPlace, 'generation'>

/** `generation`: that of the group that was made. */
type Made = { generation: number; continues: GroupPlace | undefined }

/**
 * `inviter`: the account that has led this one into the group, proved by the signature of the welcome. `continues`: as
 * the inviter says it of itself; undefined if it need not be the maker.
 */
type MadeBy = Made & { inviter: AccountId }

/**
 * Whether the maker of a group cannot have known a commit of another group of the chat: it had not read that far, or
 * was not in that group. A maker that does not say how far it had read counts as one of the generation before: a
 * modified client must gain nothing by saying nothing.
 */
export function isUnknownToMaker(reads: Reads, { group, epoch }: Place, { generation, continues }: Made): boolean {
  if (group === continues?.group) return epoch > continues.epoch
  return (findGroup(reads, group)?.generation ?? -1) >= (continues?.generation ?? generation - 1)
}

/**
 * Whether the maker has not brought a removed account back knowingly. A removed account cannot bring itself back. Where
 * nobody proves how far the maker had read, the number of the group proves it no more than its settings do.
 */
const isReturnUnwanted = (
  reads: Reads,
  { account, ...place }: Place & { account: AccountId },
  { inviter, ...made }: MadeBy,
): boolean => account === inviter || !made.continues || isUnknownToMaker(reads, place, made)

type Removed = { chat: ChatId; committer: AccountId; removed: readonly AccountId[] }

export function noteRemoved(database: Database, { chat, removed }: Omit<Removed, 'committer'>, place: Place): void {
  for (const account of removed)
    database.run('INSERT OR REPLACE INTO removal VALUES (?, ?, ?, ?)', chat, account, place.group, place.epoch)
}

type LeavingOut = { chat: ChatId; accounts: readonly AccountId[]; newcomers?: readonly AccountId[] }

/**
 * The chat continues with these accounts. Newcomers are not left out: the maker of the group could not know them. Called
 * before the members are replaced.
 */
export function noteLeftOut(database: Database, { chat, accounts, newcomers = [] }: LeavingOut, place: Place): void {
  const present = new Set([...accounts, ...newcomers])
  const members = membersOf(database, chat).map(({ account_id }) => account_id)
  noteRemoved(database, { chat, removed: members.filter(account => !present.has(account)) }, place)
}

/**
 * An admin has removed them from a group that is not in force. It applies to the group in force if its maker could not
 * know of it, and to the members who are there: somebody who is no admin any more removes nobody by an old group.
 */
export function noteRemovedBefore(database: Database, { chat, committer, removed }: Removed, place: Place): void {
  if (!isAdmin(database, chat, committer)) return
  const returned = removed.filter(account => isReturned(database, chat, { account, ...place }))
  noteRemoved(database, { chat, removed: returned }, place)
}

/**
 * A member has left by a message in this group. False if somebody has added it again to the group in force, knowing
 * this. Only a maker of the next epoch is sure to have read the message.
 */
export function noteFarewell(
  database: Database,
  { chat, group, account }: { chat: ChatId; group: Place['group']; account: AccountId },
): boolean {
  const place = { group, epoch: (findGroup(database, group)?.epoch ?? 0) + 1 }
  const isInForce = findChat(database, chat)?.group_id === group
  if (!isInForce && !isReturned(database, chat, { account, ...place })) return false
  noteRemoved(database, { chat, removed: [account] }, place)
  return true
}

/** Whether the account is in the group in force because its maker could not know of the removal at this place. */
function isReturned(reads: Reads, chat: ChatId, removal: Place & { account: AccountId }): boolean {
  const inForce = findGroup(reads, findChat(reads, chat)?.group_id ?? removal.group)
  if (!inForce || !isMember(reads, chat, removal.account)) return false
  const { generation, inviter } = inForce
  return isReturnUnwanted(reads, removal, { generation, continues: placeOf(inForce), inviter })
}

const placeOf = ({ made_at }: StoredGroup): GroupPlace | undefined =>
  made_at === null ? undefined : (JSON.parse(made_at) as GroupPlace)

/** Somebody who may have known of the removal has added them again. */
export function forgetRemoved(database: Database, chat: ChatId, accounts: readonly AccountId[]): void {
  for (const account of accounts)
    database.run('DELETE FROM removal WHERE chat_id = ? AND account_id = ?', chat, account)
}

/** They were added again to an earlier group, after the removal there. */
export function forgetRemovedIn(
  database: Database,
  { chat, group }: { chat: ChatId; group: Place['group'] },
  accounts: readonly AccountId[],
): void {
  for (const account of accounts)
    database.run('DELETE FROM removal WHERE chat_id = ? AND account_id = ? AND group_id = ?', chat, account, group)
}

/** This account was out itself: what it knows is obsolete. */
export function forgetRemovals(database: Database, chat: ChatId): void {
  endFarewells(database, chat)
  database.run('DELETE FROM removal WHERE chat_id = ?', chat)
}

/**
 * This account follows a group with these members. Its maker has added them again knowingly, unless it could not know of
 * the removal, or took them over from a group in which they were without anybody's wish. `made`: undefined if this
 * account returns to a group whose log it has missed. Called before the members are replaced.
 */
export function judgeReturned(
  database: Database,
  chat: ChatId,
  { accounts, made }: { accounts: readonly AccountId[]; made: MadeBy | undefined },
): void {
  const present = new Set(accounts)
  const rows = database.all<Place & { account: AccountId }>(
    'SELECT account_id AS account, group_id AS "group", epoch FROM removal WHERE chat_id = ?',
    chat,
  )
  const added = rows.filter(
    row =>
      present.has(row.account) &&
      !isStaying(database, chat, row.account) &&
      !(made && isReturnUnwanted(database, row, made)),
  )
  forgetRemoved(
    database,
    chat,
    added.map(({ account }) => account),
  )
  endFarewells(database, chat)
}

/**
 * Members that were removed or left, and are in again because somebody did not know of it. Any member removes one that
 * is leaving the group in force.
 */
export const returnedTo = (reads: Reads, chat: ChatId): AccountId[] =>
  reads
    .all<{ account_id: AccountId }>(
      `SELECT account_id FROM removal JOIN member USING (chat_id, account_id)
       WHERE chat_id = ? AND member.leaving = 0`,
      chat,
    )
    .map(row => row.account_id)

/** Members with keys of the group in force that are about to be removed from it. */
export const goingFrom = (reads: Reads, chat: ChatId): AccountId[] => [
  ...leaversOf(reads, chat),
  ...returnedTo(reads, chat),
]

/** Chats with such members of which this account is an admin. */
export const chatsWithReturned = (reads: Reads, own: AccountId): { chat: ChatId; group: StoredGroup['id'] }[] =>
  reads.all<{ chat: ChatId; group: StoredGroup['id'] }>(
    `SELECT DISTINCT chat.id AS chat, chat.group_id AS "group" FROM removal
       CROSS JOIN member ON member.chat_id = removal.chat_id AND member.account_id = removal.account_id
       CROSS JOIN member self ON self.chat_id = removal.chat_id AND self.account_id = ? AND self.admin = 1
       CROSS JOIN chat ON chat.id = removal.chat_id
       CROSS JOIN mls_group ON mls_group.id = chat.group_id
     WHERE chat.state = 'active' AND mls_group.status = 'open' AND member.leaving = 0`,
    own,
  )
