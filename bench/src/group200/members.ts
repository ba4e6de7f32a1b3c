// Accounts for groups: they have their keys at the relay, and never connect.
import { type AccountId, systemClock } from '@postern/protocol'
import { relayLimits } from '@postern/relay'
import { makeMember } from '../crypto/mls-pair.ts'
import { InProcessWake, openSqliteStore } from '../inside.ts'

/** Before the relay starts: written into its store. */
export async function registerMembers(directory: string, count: number): Promise<AccountId[]> {
  const store = openSqliteStore({ directory, limits: relayLimits(), wake: new InProcessWake(), clock: systemClock })
  const members = await Promise.all(Array.from({ length: count }, makeMember))
  for (const { accountId, accountKey, keyPackage } of members) {
    await store.registerAccount(accountId, { accountKey, nowMs: Date.now() })
    const oneTime = [keyPackage.publicBytes]
    await store.publishKeyPackages(accountId, { oneTime, lastResort: undefined, replace: false, nowMs: Date.now() })
  }
  await store.close()
  return members.map(({ accountId }) => accountId)
}
