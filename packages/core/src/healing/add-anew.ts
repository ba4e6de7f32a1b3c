// A member whose keys to a group are lost is removed and added again in one commit, by another member whom it has asked.
// A newcomer whom the maker of the group has left out without knowing of it is added.
import { leafOf, rosterOf } from '@postern/mls'
import { contentLimits, type Deadline } from '@postern/protocol'
import { fetchKeyPackages } from '../chats/keys/fetch-key-packages.ts'
import { forgetRejoin, type Rejoin, wantedRejoins } from '../chats/records/rejoins.ts'
import { type CommitContext, commitToGroup } from '../groups/commit-group.ts'

export async function addAnew(core: CommitContext, rejoin: Rejoin, deadline: Deadline): Promise<void> {
  const { group, account } = rejoin
  const add = await fetchKeyPackages(core, [account], deadline)
  // Whom somebody has cut off at the relay, the relay cannot remove: it is only added there.
  const { members } = await core.link.call('getGroup', { group }, deadline.leftMs())
  const atRelay = { remove: members.filter(member => member === account) }
  let isNeedless = false
  await commitToGroup(core, group, {
    intent: session => {
      const roster = rosterOf(session)
      const wanted = wantedRejoins(core.store).find(one => one.group === group && one.account === account)
      const isIn = leafOf(roster, account) !== undefined
      const hasRoom = roster.size < contentLimits.groupMembersMax
      isNeedless = wanted?.isNewcomer ? isIn || !hasRoom : !isIn
      return wanted && !isNeedless ? { add, remove: isIn ? [account] : [], atRelay } : 'satisfied'
    },
    deadline,
  })
  // The commit that adds it, whoever made it, fulfils the wish where it stands in the log: one that is there by now is of a
  // later loss.
  if (isNeedless) await core.store.write(database => forgetRejoin(database, rejoin))
}
