// A member whose keys to a group are lost is removed and added again in one commit, by another member whom it has asked.
import { leafOf, rosterOf } from '@postern/mls'
import type { Deadline } from '@postern/protocol'
import { fetchKeyPackages } from '../chats/fetch-key-packages.ts'
import { forgetRejoin, type Rejoin, wantedRejoins } from '../chats/rejoins.ts'
import { type CommitContext, commitToGroup } from '../groups/commit-group.ts'

export async function addAnew(core: CommitContext, rejoin: Rejoin, deadline: Deadline): Promise<void> {
  const { group, account } = rejoin
  const add = await fetchKeyPackages(core, [account], deadline)
  // Whom somebody has cut off at the relay, the relay cannot remove: it is only added there.
  const { members } = await core.link.call('getGroup', { group }, deadline.leftMs())
  const atRelay = { remove: members.filter(member => member === account) }
  let isGone = false
  await commitToGroup(core, group, {
    intent: session => {
      isGone = leafOf(rosterOf(session), account) === undefined
      const isStillWanted = wantedRejoins(core.store).some(one => one.group === group && one.account === account)
      return isStillWanted && !isGone ? { add, remove: [account], atRelay } : 'satisfied'
    },
    deadline,
  })
  // The commit that adds it, whoever made it, fulfils the wish where it stands in the log: one that is there by now is of a
  // later loss.
  if (isGone) await core.store.write(database => forgetRejoin(database, rejoin))
}
