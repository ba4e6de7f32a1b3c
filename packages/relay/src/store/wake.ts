// Hints that a mailbox has new entries. A hint may be lost or superfluous: the mailbox is authoritative.
import type { AccountId } from '@postern/protocol'
import { MultiMap } from './multi-map.ts'

export interface Wake {
  notify(accounts: Iterable<AccountId>): void
  /** Hints may have been lost: wakes all subscribers. */
  notifyAll(): void
  /**
   * Returns the function that ends the subscription.
   * `wake` never throws: a sender waits for its answer until all are woken.
   */
  subscribe(account: AccountId, wake: () => void): () => void
}

/** Wakes followers in this process. */
export class InProcessWake implements Wake {
  readonly #sleepers = new MultiMap<AccountId, () => void>()

  notify(accounts: Iterable<AccountId>): void {
    if (this.#sleepers.isEmpty) return
    for (const account of accounts) for (const wake of this.#sleepers.get(account)) wake()
  }

  notifyAll(): void {
    for (const wake of [...this.#sleepers.members()]) wake()
  }

  subscribe(account: AccountId, wake: () => void): () => void {
    this.#sleepers.add(account, wake)
    return () => this.#sleepers.delete(account, wake)
  }
}
