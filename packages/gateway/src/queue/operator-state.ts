// The gateway's stored state besides its place in the queue, encrypted with the rest of the database.
import type { Journal } from '@postern/core'
import { OPERATOR } from './update-queue.ts'

export type DeliveryState = {
  /** Hash of the address: a new receiver must not wait because of the failures of the last one. */
  urlHash: string
  attempts: number
  nextAttemptTs?: number
  /** The same in elapsed time. */
  dueMs?: number
  lastAttemptTs: number
  lastError: string
  lastErrorTs: number
}

type Kept = { delivery?: DeliveryState; avatarHash?: string }

export class OperatorState {
  readonly #journal: Journal
  #kept: Kept

  constructor(journal: Journal) {
    this.#journal = journal
    this.#kept = JSON.parse(journal.readerState(OPERATOR) ?? '{}') as Kept
  }

  get delivery(): DeliveryState | undefined {
    return this.#kept.delivery
  }

  get avatarHash(): string | undefined {
    return this.#kept.avatarHash
  }

  /** Resolves when it is durable. */
  async keep(change: Kept): Promise<void> {
    this.#kept = { ...this.#kept, ...change }
    await this.#journal.setReaderState(OPERATOR, JSON.stringify(this.#kept))
  }
}
