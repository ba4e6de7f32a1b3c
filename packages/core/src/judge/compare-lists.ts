// Compares the lists that a committer gave the relay with its commit,
// so that nobody is secretly cut off or allowed to listen.
import type { AccountId } from '@postern/protocol'

type Lists = { added: readonly AccountId[]; removed: readonly AccountId[] }

export type ListsDiffer = {
  /** Members by their keys to which the relay no longer delivers. */
  cutOff: AccountId[]
  /** Accounts that receive ciphertext without being members. */
  listening: AccountId[]
}

/** Undefined when both have the same result: a member that is removed and added again was never away. */
export function compareLists(
  relay: Lists,
  keys: Lists & { before: readonly AccountId[]; after: readonly AccountId[] },
): ListsDiffer | undefined {
  const before = new Set(keys.before)
  const after = new Set(keys.after)
  const relayAdded = new Set(relay.added)
  const goneAtRelay = relay.removed.filter(account => !relayAdded.has(account))
  const cutOff = [
    ...goneAtRelay.filter(account => after.has(account)),
    ...keys.added.filter(account => !before.has(account) && after.has(account) && !relayAdded.has(account)),
  ]
  const isGoneAtRelay = new Set(goneAtRelay)
  const listening = [
    ...relay.added.filter(account => !after.has(account)),
    ...keys.removed.filter(account => !after.has(account) && !isGoneAtRelay.has(account) && !relayAdded.has(account)),
  ]
  return cutOff.length + listening.length === 0 ? undefined : { cutOff, listening }
}
