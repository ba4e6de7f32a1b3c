// Key packages of others, from the relay: with them an account is added to a group without being asked.
import { isUsable } from '@postern/mls'
import { type AccountId, CodedError, type Deadline, wireLimits } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { NewMember } from '../groups/commit-group.ts'

export async function fetchKeyPackages(
  core: Pick<Core, 'link'>,
  accounts: AccountId[],
  deadline: Deadline,
): Promise<NewMember[]> {
  const members: NewMember[] = []
  for (let at = 0; at < accounts.length; at += wireLimits.keyPackagesPerTakeMax) {
    const page = accounts.slice(at, at + wireLimits.keyPackagesPerTakeMax)
    const { taken } = await core.link.call('takeKeyPackages', { accounts: page }, deadline.leftMs())
    for (const account of page) {
      const found = taken.find(one => one.account === account)
      if (!found) throw new CodedError('account-not-found', { account })
      members.push({ account, keyPackage: found.keyPackage })
    }
  }
  return members
}

/** Leaves out accounts for which the relay has no good key package. The relay may lie: who is left out is named to everybody. */
export async function fetchUsable(
  core: Pick<Core, 'link' | 'mls'>,
  accounts: AccountId[],
  deadline: Deadline,
): Promise<NewMember[]> {
  const usable: NewMember[] = []
  for (let at = 0; at < accounts.length; at += wireLimits.keyPackagesPerTakeMax) {
    const page = accounts.slice(at, at + wireLimits.keyPackagesPerTakeMax)
    const { taken } = await core.link.call('takeKeyPackages', { accounts: page }, deadline.leftMs())
    for (const { account, keyPackage } of taken)
      if (page.includes(account) && (await isUsable(core.mls, account, keyPackage)))
        usable.push({ account, keyPackage })
  }
  return usable
}
