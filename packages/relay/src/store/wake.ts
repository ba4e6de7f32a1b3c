// Hints that there is something new in a mailbox. A hint may be lost or come for nothing: the mailbox is the truth.
import type { AccountId } from '@postern/protocol'
import { MultiMap } from './multi-map.ts'

export interface Wake {
  notify(accounts: Iterable<AccountId>): void
  /** Hints may have been lost: everybody looks. */
  notifyAll(): void
  /** Gives what ends the subscription. `wake` throws nothing: a sender waits for its answer until all are woken. */
  subscribe(account: AccountId, wake: () => void): () => void
}

/** For those who follow in this process, whoever writes. */
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
