// Members whose keys to a group are lost are removed and added again in one commit, by another member whom they ask.
import type { AccountId, GroupId } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { Deadline } from '../deadline.ts'
import { commitToGroup } from '../groups/commit-group.ts'
import { findGroup } from '../groups/group-records.ts'
import { leafOf } from '../mls/credentials.ts'
import { rosterOf } from '../mls/group-session.ts'
import type { Database } from '../storage/database.ts'
import { membersOf } from './chats.ts'
import { takeKeyPackages } from './open-chat.ts'

type Rejoin = { group: GroupId; account: AccountId }

export function noteRejoin(core: Pick<Core, 'poke'>, database: Database, { group, account }: Rejoin): void {
  const row = findGroup(database, group)
  const isMember = row && membersOf(database, row.chat_id).some(member => member.account_id === account)
  // Whoever is no member asks in vain: this is no way into a group.
  if (!isMember || row.status !== 'open') return
  database.run('INSERT OR IGNORE INTO rejoin (group_id, account_id) VALUES (?, ?)', group, account)
  core.poke()
}

/** Somebody else was faster, or the account is gone. */
export function forgetRejoin(database: Database, { group, account }: Rejoin): void {
  database.run('DELETE FROM rejoin WHERE group_id = ? AND account_id = ?', group, account)
}

export const wantedRejoins = (core: Core): Rejoin[] =>
  core.store.all<Rejoin>('SELECT group_id AS "group", account_id AS account FROM rejoin')

export async function addAnew(core: Core, rejoin: Rejoin, deadline: Deadline): Promise<void> {
  const { group, account } = rejoin
  const add = await takeKeyPackages(core, [account], deadline)
  await commitToGroup(core, group, {
    intent: session => {
      const isStillWanted = wantedRejoins(core).some(one => one.group === group && one.account === account)
      const isMember = leafOf(rosterOf(session), account) !== undefined
      return isStillWanted && isMember ? { add, remove: [account] } : 'satisfied'
    },
    deadline,
  })
  await core.store.write(database => forgetRejoin(database, rejoin))
}
