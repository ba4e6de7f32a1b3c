// Deletes an account for its owner: shuts it out, marks it as deleted, then removes its rows.
import type { AccountId, Clock } from '@postern/protocol'
import type { RelayStore } from '../store/relay-store.ts'
import type { Bans } from './bans.ts'

type Parts = { readonly store: RelayStore; readonly clock: Clock; readonly bans: Bans }

/** A kill after the first write leaves rows that nobody can find; the next sweep removes them. */
export async function deleteAccount({ store, clock, bans }: Parts, account: AccountId): Promise<void> {
  await bans.shutOutFor(account, () => store.deleteAccount(account, clock.nowMs()))
  while ((await store.purgeDeleted(clock.nowMs())).more);
}
