// Members who were added while another member carried the chat on: the next group was made without them.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { findGroup } from '../../groups/group-records.ts'
import type { GroupPlace } from '../../judge/successor.ts'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { findChat, isMember, isStaying } from './chats.ts'
import { isUnknownToMaker } from './removals.ts'

type Reads = Pick<Store, 'get' | 'all'>
type Addition = { chat: ChatId; committer: AccountId; added: readonly AccountId[] }

/** The accounts that are not members, or have said farewell. Called before the commit that adds them is applied. */
export const strangersAmong = (reads: Reads, chat: ChatId, accounts: readonly AccountId[]): AccountId[] =>
  accounts.filter(account => !isStaying(reads, chat, account))

/** They are in the current group from this epoch on. */
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
 * Members that the maker of the next group could not know: it had not read that far, or was not in the group to which
 * they were added. An admin decides about others that it left out. Those who are proved to have broken the rules since
 * they were added stay out. Called before the members are replaced.
 */
export function leftOutUnknown(
  reads: Reads,
  chat: ChatId,
  {
    accounts,
    generation,
    continues,
  }: { accounts: readonly AccountId[]; generation: number; continues: GroupPlace | undefined },
): LeftOut[] {
  const present = new Set(accounts)
  return reads
    .all<AddedRow>(
      `SELECT account_id AS account, added_by AS "by", added_group AS "group", added_epoch AS epoch FROM member
       WHERE chat_id = ? AND added_group IS NOT NULL AND leaving = 0 AND NOT EXISTS (
         SELECT 1 FROM offender JOIN mls_group ended ON ended.id = offender.group_id
         WHERE offender.account_id = member.account_id AND ended.chat_id = member.chat_id
           AND ended.generation >= (SELECT generation FROM mls_group WHERE id = member.added_group))`,
      chat,
    )
    .filter(row => !present.has(row.account) && isUnknownToMaker(reads, row, { generation, continues }))
}

/**
 * Accounts that a member has added to a group of the chat that is not in force. The maker of the group in force and
 * that member add them there; until then all members accept their messages. Does nothing if the member that added them
 * is out.
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

/** A member who may do so has removed them from the group to which they were added. */
export function forgetNewcomers(database: Database, chat: ChatId, removed: readonly AccountId[]): void {
  for (const account of removed)
    database.run(
      'DELETE FROM rejoin WHERE group_id = (SELECT group_id FROM chat WHERE id = ?) AND account_id = ? AND newcomer <> 0',
      chat,
      account,
    )
}

/** They speak in an earlier group because nobody has added them to the one in force yet. */
export const isNewcomer = (reads: Reads, group: GroupId, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM rejoin WHERE group_id = ? AND account_id = ? AND newcomer <> 0', group, account) !==
  undefined
