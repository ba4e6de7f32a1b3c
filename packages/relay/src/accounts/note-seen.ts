// Records the day on which an account last connected, so that an operator can find unused accounts.
import type { AccountId, Clock } from '@postern/protocol'
import type { RelayStore, StoredAccount } from '../store/relay-store.ts'
import { dayOf } from '../store/rules/day-limits.ts'

type Parts = { readonly store: RelayStore; readonly clock: Clock }

/**
 * Once a day and in the background: a login must not wait for the disk. If a power cut or a full disk loses the note,
 * the next login repeats it; other writes report the full disk.
 */
export function noteSeen({ store, clock }: Parts, account: AccountId, { seenDay }: StoredAccount): void {
  const nowMs = clock.nowMs()
  if (seenDay !== dayOf(nowMs)) store.noteSeen(account, nowMs).catch(() => undefined)
}
