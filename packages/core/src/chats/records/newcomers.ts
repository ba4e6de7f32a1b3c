// Members whom somebody has added while another member carried the chat on: the next group was made without them.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { findGroup } from '../../groups/group-records.ts'
import type { GroupPlace } from '../../judge/successor.ts'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { findChat, isMember } from './chats.ts'

type Reads = Pick<Store, 'get' | 'all'>
type Addition = { chat: ChatId; committer: AccountId; added: readonly AccountId[] }

/** Those of the accounts that are not members yet: asked before the commit that adds them is applied. */
export const strangersAmong = (reads: Reads, chat: ChatId, accounts: readonly AccountId[]): AccountId[] =>
  accounts.filter(account => !isMember(reads, chat, account))

/** The group in force has them from this epoch on. */
export function noteAdded(
  database: Database,
  { chat, committer, added }: Addition,
  { group, epoch }: Omit<GroupPlace, 'generation'>,
): void {
  for (const account of added)
    database.run(
      'UPDATE member SET added_by = ?, added_group = ?, added_epoch = ? WHERE chat_id = ? AND account_id = ?',
      committer,
      group,
      epoch,
      chat,
      account,
    )
}

type LeftOut = { account: AccountId; by: AccountId }
type AddedRow = LeftOut & { group: GroupId; epoch: number }

/**
 * Members of whom the maker of the next group could not know: it had not read so far, or was not in the group to which they were
 * added. Others that it left out are an admin's business. Asked before the members are replaced.
 */
export function leftOutUnknown(
  reads: Reads,
  chat: ChatId,
  { accounts, continues }: { accounts: readonly AccountId[]; continues: GroupPlace | undefined },
): LeftOut[] {
  if (!continues) return []
  const present = new Set(accounts)
  const isUnknown = ({ group, epoch }: AddedRow): boolean =>
    group === continues.group
      ? epoch > continues.epoch
      : (findGroup(reads, group)?.generation ?? -1) >= continues.generation
  return reads
    .all<AddedRow>(
      `SELECT account_id AS account, added_by AS "by", added_group AS "group", added_epoch AS epoch FROM member
       WHERE chat_id = ? AND added_group IS NOT NULL AND leaving = 0`,
      chat,
    )
    .filter(row => !present.has(row.account) && isUnknown(row))
}

/**
 * Accounts that a member has added to a group of the chat that is not in force. The maker of the one in force and the member itself
 * add them there; until then everybody hears them. Not where the member that had added them is out.
 */
export function noteNewcomers(
  core: Pick<Core, 'own' | 'wakeChores'>,
  database: Database,
  { chat, committer, added }: Addition,
): void {
  const group = findChat(database, chat)?.group_id
  if (!group || !isMember(database, chat, committer)) return
  const isOurs = committer === core.own.id || findGroup(database, group)?.inviter === core.own.id
  const newcomers = strangersAmong(database, chat, added)
  for (const account of newcomers)
    database.run(
      'INSERT OR IGNORE INTO rejoin (group_id, account_id, newcomer) VALUES (?, ?, ?)',
      group,
      account,
      isOurs ? 1 : 2,
    )
  if (isOurs && newcomers.length > 0) core.wakeChores()
}

/** Somebody who may has removed them from the group to which they were added. */
export function forgetNewcomers(database: Database, chat: ChatId, removed: readonly AccountId[]): void {
  for (const account of removed)
    database.run(
      'DELETE FROM rejoin WHERE group_id = (SELECT group_id FROM chat WHERE id = ?) AND account_id = ? AND newcomer <> 0',
      chat,
      account,
    )
}

/** They speak in a group from before because nobody has added them to the one in force yet. */
export const isNewcomer = (reads: Reads, group: GroupId, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM rejoin WHERE group_id = ? AND account_id = ? AND newcomer <> 0', group, account) !==
  undefined
