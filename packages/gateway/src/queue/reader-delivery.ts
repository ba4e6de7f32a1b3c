// The updates of a named reader for a webhook of its own: the same as for the queue without a name.
import type { Journal } from '@postern/core'
import type { NamedReaders } from '@postern/core/node'
import { gatewayLimits } from '@postern/protocol'
import { updateJson } from './reader-queue.ts'
import type { QueuedUpdate } from './update-queue.ts'

export type ReaderDeliveryOptions = { journal: Journal; readers: NamedReaders }

export class ReaderDelivery {
  readonly #name: string
  readonly #options: ReaderDeliveryOptions
  /** The last delivered update, which is never delivered again; ahead of the database until it is confirmed. */
  #delivered = 0

  constructor(name: string, options: ReaderDeliveryOptions) {
    this.#name = name
    this.#options = options
  }

  /** An operator may have deleted the reader. */
  async ready(): Promise<void> {
    const opening = { types: undefined, from: 'now', max: gatewayLimits.readersMax } as const
    await this.#options.readers.open(this.#name, opening)
  }

  /** Throws when the reader was deleted. */
  read(limit: number): QueuedUpdate[] {
    const { readers } = this.#options
    const { confirmed, types } = readers.get(this.#name)
    const page = readers.read(Math.max(confirmed, this.#delivered), { types, limit })
    return page.map(({ id, json }) => ({ id, json: updateJson({ id, json }) }))
  }

  noteDelivered(id: number): void {
    this.#delivered = Math.max(this.#delivered, id)
  }

  /** Resolves when it is durable. A reader that was deleted meanwhile has no place to move. */
  async confirmDelivered(): Promise<void> {
    const { readers } = this.#options
    if (readers.find(this.#name)) await readers.confirm(this.#name, this.#delivered)
  }

  onAppend(listener: () => void): () => void {
    return this.#options.journal.onAppend(listener)
  }
}
