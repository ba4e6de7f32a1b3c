// The updates of some types, as a poll reads them: those of a named reader, or of the queue without a name.
import type { Journal } from '@postern/core'
import type { EventChoice, NamedReaders } from '@postern/core/node'
import { utf8 } from '@postern/protocol'
import type { UpdateQueue } from './update-queue.ts'

/** Where a cursor is, and how it moves. */
type Cursor = Pick<UpdateQueue, 'confirmBelow' | 'durable'> & {
  readonly place: number
  skip(upTo: number): Promise<void>
}

export type ReaderQueueOptions = EventChoice & { journal: Journal; readers: NamedReaders }

export class ReaderQueue {
  readonly #cursor: Cursor
  readonly #options: ReaderQueueOptions

  constructor(cursor: Cursor, options: ReaderQueueOptions) {
    this.#cursor = cursor
    this.#options = options
  }

  static ofReader(name: string, options: ReaderQueueOptions): ReaderQueue {
    const { readers } = options
    return new ReaderQueue(
      {
        get place() {
          return readers.get(name).confirmed
        },
        confirmBelow: offset => readers.confirm(name, offset - 1),
        skip: upTo => readers.skip(name, upTo),
        durable: async () => undefined,
      },
      options,
    )
  }

  /** Every confirmation is durable before the wait: a named reader has no shortcut for it. */
  isEmptyFrom(): boolean {
    return false
  }

  async confirmAll(): Promise<void> {
    await this.confirmBelow(this.#options.journal.newest() + 1)
  }

  async confirmBelow(offset: number): Promise<void> {
    await this.#cursor.confirmBelow(offset)
  }

  async durable(): Promise<void> {
    await this.#cursor.durable()
  }

  /** Updates of other types and chats count as confirmed. */
  async passOthers(): Promise<void> {
    const { journal, readers, types, chats } = this.#options
    if (!types && !chats) return
    const { place } = this.#cursor
    const first = readers.firstAfter(place, { types, chats })
    const upTo = first === undefined ? journal.newest() : first - 1
    if (upTo > place) await this.#cursor.skip(upTo)
  }

  readJson({ offset = 0, limit }: { offset?: number; limit: number }): Uint8Array | undefined {
    const { journal, readers, types, chats } = this.#options
    const after = Math.max(this.#cursor.place, Math.min(offset - 1, journal.newest()))
    const page = readers.read(after, { types, chats, limit })
    return page.length === 0 ? undefined : utf8(`[${page.map(updateJson).join(',')}]`)
  }
}

/** Updates are stored without their id. */
export const updateJson = ({ id, json }: { id: number; json: string }): string => `{"id":${id},${json.slice(1)}`
