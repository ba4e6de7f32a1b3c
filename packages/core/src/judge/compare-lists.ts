// What a committer told the relay, held against what its commit did: nobody is cut off, or let listen, behind the others' back.
import type { AccountId } from '@postern/protocol'

type Lists = { added: readonly AccountId[]; removed: readonly AccountId[] }

export type ListsDiffer = {
  /** Members by their keys to whom the relay delivers nothing more. */
  cutOff: AccountId[]
  /** Who gets ciphertext without being a member. */
  listening: AccountId[]
}

/** Undefined when both came to the same, which is all that counts: who is removed and added again was never away. */
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
