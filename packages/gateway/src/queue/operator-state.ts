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

/** A webhook that was set over the API. */
export type StoredWebhook = { url: string; secret: string; previousSecret?: string }

type Kept = {
  delivery?: DeliveryState
  avatarHash?: string
  webhook?: StoredWebhook | undefined
  webhookPaused?: boolean
}

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

  get webhook(): StoredWebhook | undefined {
    return this.#kept.webhook
  }

  get isWebhookPaused(): boolean {
    return this.#kept.webhookPaused === true
  }

  /** Resolves when it is durable. */
  async keep(change: Kept): Promise<void> {
    const before = this.#kept
    this.#kept = { ...before, ...change }
    try {
      await this.#journal.setReaderState(OPERATOR, JSON.stringify(this.#kept))
    } catch (error) {
      // A change that was refused must not come back with the next one.
      const unchanged = Object.fromEntries(Object.keys(change).map(key => [key, before[key as keyof Kept]]))
      this.#kept = { ...this.#kept, ...unchanged }
      throw error
    }
  }
}
