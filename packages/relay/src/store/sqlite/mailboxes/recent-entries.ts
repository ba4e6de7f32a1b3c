// The newest entries in memory: most readers are caught up, so a payload is not read from disk for each of them.
import type { MailboxEntry } from '@postern/protocol/relay'
import { entryBytes } from '../../entry-bytes.ts'

export class RecentEntries {
  readonly #bytesMax: number
  readonly #entries = new Map<number, MailboxEntry>()
  #bytes = 0
  /** Entries of the current transaction. */
  #uncommitted: MailboxEntry[] = []

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get(cursor: number): MailboxEntry | undefined {
    return this.#entries.get(cursor)
  }

  add(entry: MailboxEntry): void {
    this.#uncommitted.push(entry)
  }

  committed(): void {
    for (const entry of this.#uncommitted) this.#keep(entry)
    this.#uncommitted = []
  }

  forget(): void {
    this.#uncommitted = []
  }

  #keep(entry: MailboxEntry): void {
    // A copy: the payload is a view of the received buffer and would keep all of it in memory.
    this.#entries.set(entry.cursor, { ...entry, payload: Buffer.from(entry.payload) })
    this.#bytes += entryBytes(entry)
    for (const [oldest, dropped] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return
      this.#entries.delete(oldest)
      this.#bytes -= entryBytes(dropped)
    }
  }
}
