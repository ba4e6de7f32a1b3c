// Hints that there is something new in a mailbox. A hint may be lost or come for nothing: the mailbox is the truth.
import type { AccountId } from '@postern/protocol'

export interface Wake {
  notify(accounts: Iterable<AccountId>): void
  /** Gives what ends the subscription. */
  subscribe(account: AccountId, wake: () => void): () => void
}

/** For one relay process: whoever writes and whoever follows are in it. */
export class InProcessWake implements Wake {
  readonly #sleepers = new Map<AccountId, Set<() => void>>()

  notify(accounts: Iterable<AccountId>): void {
    if (this.#sleepers.size === 0) return
    for (const account of accounts) for (const wake of this.#sleepers.get(account) ?? []) wake()
  }

  subscribe(account: AccountId, wake: () => void): () => void {
    const sleepers = this.#sleepers.get(account) ?? new Set()
    this.#sleepers.set(account, sleepers)
    sleepers.add(wake)
    return () => {
      sleepers.delete(wake)
      if (sleepers.size === 0 && this.#sleepers.get(account) === sleepers) this.#sleepers.delete(account)
    }
  }
}
