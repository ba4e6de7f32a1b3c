// Members whose keys to a group are lost are removed and added again in one commit, by another member whom they ask.
import { leafOf, rosterOf } from '@postern/mls'
import type { AccountId, ChatId, Deadline, GroupId } from '@postern/protocol'
import type { Core } from '../context.ts'
import { commitToGroup } from '../groups/commit-group.ts'
import { findGroup } from '../groups/group-records.ts'
import type { Database } from '../storage/database.ts'
import { findChat, membersOf } from './chats.ts'
import { takeKeyPackages } from './open-chat.ts'

type Rejoin = { group: GroupId; account: AccountId }

export function noteRejoin(core: Pick<Core, 'poke' | 'rearm'>, database: Database, { group, account }: Rejoin): void {
  const named = findGroup(database, group)
  const isMember = named && membersOf(database, named.chat_id).some(member => member.account_id === account)
  // The chat may have been carried on by another group since.
  const current = named && findGroup(database, findChat(database, named.chat_id)?.group_id ?? group)
  // Whoever is no member asks in vain: this is no way into a group. Who is lost itself helps when it is well again.
  if (!isMember || !current) return
  database.run('INSERT OR IGNORE INTO rejoin (group_id, account_id) VALUES (?, ?)', current.id, account)
  core.poke()
  // It may be the one by which it is clear that everybody has lost the group.
  core.rearm()
}

/** Somebody else was faster, or the account is gone. */
export function forgetRejoin(database: Database, { group, account }: Rejoin): void {
  database.run('DELETE FROM rejoin WHERE group_id = ? AND account_id = ?', group, account)
}

/** The chat goes on in another group, with everybody in it: the wishes for those before are past. */
export function forgetRejoins(database: Database, chat: ChatId): void {
  database.run('DELETE FROM rejoin WHERE group_id IN (SELECT id FROM mls_group WHERE chat_id = ?)', chat)
}

export const wantedRejoins = (core: Core): Rejoin[] =>
  core.store.all<Rejoin>(
    `SELECT group_id AS "group", account_id AS account FROM rejoin
     WHERE group_id IN (SELECT id FROM mls_group WHERE status = 'open')`,
  )

export async function addAnew(core: Core, rejoin: Rejoin, deadline: Deadline): Promise<void> {
  const { group, account } = rejoin
  const add = await takeKeyPackages(core, [account], deadline)
  // Whom somebody has cut off at the relay, the relay cannot remove: it is only added there.
  const { members } = await core.link.call('getGroup', { group }, deadline.leftMs())
  const atRelay = { remove: members.filter(member => member === account) }
  await commitToGroup(core, group, {
    intent: session => {
      const isStillWanted = wantedRejoins(core).some(one => one.group === group && one.account === account)
      const isMember = leafOf(rosterOf(session), account) !== undefined
      return isStillWanted && isMember ? { add, remove: [account], atRelay } : 'satisfied'
    },
    deadline,
  })
  await core.store.write(database => forgetRejoin(database, rejoin))
}
