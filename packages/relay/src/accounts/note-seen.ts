// The day on which an account was last here, for an operator who looks for those that nobody uses any more.
import type { AccountId, Clock } from '@postern/protocol'
import type { RelayStore, StoredAccount } from '../store/relay-store.ts'
import { dayOf } from '../store/rules/day-limits.ts'

type Parts = { readonly store: RelayStore; readonly clock: Clock }

/**
 * Once a day, and nobody waits for it: a login must not wait for the disk. What a power cut takes of it is noted at the
 * next login, and so is what a full disk refuses, of which others say enough.
 */
export function noteSeen({ store, clock }: Parts, account: AccountId, { seenDay }: StoredAccount): void {
  const nowMs = clock.nowMs()
  if (seenDay !== dayOf(nowMs)) store.noteSeen(account, nowMs).catch(() => undefined)
}
