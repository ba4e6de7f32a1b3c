// Removes and adds again, in one commit, a member that has lost its keys to a group and has asked this member for it.
// Also adds a newcomer that the maker of the group left out without knowing of it.
import { leafOf, rosterOf } from '@postern/mls'
import { contentLimits, type Deadline } from '@postern/protocol'
import { fetchKeyPackages } from '../chats/keys/fetch-key-packages.ts'
import { forgetRejoin, type Rejoin, wantedRejoins } from '../chats/records/rejoins.ts'
import { type CommitContext, commitToGroup } from '../groups/commit-group.ts'

export async function addAnew(core: CommitContext, rejoin: Rejoin, deadline: Deadline): Promise<void> {
  const { group, account } = rejoin
  const add = await fetchKeyPackages(core, [account], deadline)
  // The relay cannot remove a member that was cut off there: it can only be added.
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
  // The commit that adds the member, from any maker, removes the request at its place in the log. A request that is
  // there by now belongs to a later loss.
  if (isNeedless) await core.store.write(database => forgetRejoin(database, rejoin))
}
