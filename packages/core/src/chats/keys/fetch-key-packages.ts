// Fetches key packages of others from the relay. With them an account is added to a group without being asked.
import { deviceOf, isMlsError, isUsable } from '@postern/mls'
import { type AccountId, CodedError, type Deadline, wireLimits } from '@postern/protocol'
import type { Core } from '../../context.ts'
import type { NewMember } from '../../groups/commit-group.ts'
import { isRevoked } from '../../identity/devices.ts'

type Fetching = Pick<Core, 'link' | 'mls' | 'store'>

export async function fetchKeyPackages(
  core: Fetching,
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
      if (isOfRevoked(core, account, found.keyPackage))
        throw new CodedError('relay-broken', { what: `it hands out a device that ${account} has replaced` })
      members.push({ account, keyPackage: found.keyPackage })
    }
  }
  return members
}

/**
 * Leaves out accounts for which the relay has no good key package.
 * The relay may lie, so everyone is notified of the accounts left out.
 */
export async function fetchUsable(core: Fetching, accounts: AccountId[], deadline: Deadline): Promise<NewMember[]> {
  const usable: NewMember[] = []
  for (let at = 0; at < accounts.length; at += wireLimits.keyPackagesPerTakeMax) {
    const page = accounts.slice(at, at + wireLimits.keyPackagesPerTakeMax)
    const { taken } = await core.link.call('takeKeyPackages', { accounts: page }, deadline.leftMs())
    for (const { account, keyPackage } of taken) {
      if (!page.includes(account) || isOfRevoked(core, account, keyPackage)) continue
      if (await isUsable(core.mls, account, keyPackage)) usable.push({ account, keyPackage })
    }
  }
  return usable
}

/** An unreadable key package is rejected where it is added. */
function isOfRevoked({ mls, store }: Fetching, account: AccountId, keyPackage: Uint8Array): boolean {
  try {
    return isRevoked(store, account, deviceOf(mls, keyPackage))
  } catch (error) {
    if (isMlsError(error)) return false
    throw error
  }
}
