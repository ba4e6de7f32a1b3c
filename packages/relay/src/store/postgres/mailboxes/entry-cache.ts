// The newest entries in memory, by their ids: most readers are caught up, and a payload is then not fetched for each of them.

import { entryBytes } from '../../entry-bytes.ts'
import type { StoredEntry } from '../../relay-store.ts'
import { WeightedCache } from '../../weighted-cache.ts'
import type { LoggedEntry } from '../groups/logged-entry.ts'

/** What an entry without a payload takes in memory. */
const FRAME_BYTES = 256

export class EntryCache {
  readonly #held: WeightedCache<number, StoredEntry>
  #newestId: number | undefined

  constructor(bytesMax: number) {
    this.#held = new WeightedCache(bytesMax)
  }

  /** Of all that were ever held. */
  get newestId(): number | undefined {
    return this.#newestId
  }

  /** Its position is known when it is in a mailbox. */
  add(id: number, { group, kind, sender, seq, ts, payload, added, removed }: LoggedEntry): void {
    const named = { group: group.id, kind, sender: sender.id, seq, ts, added, removed }
    // A copy: the payload is a view of what was received, and would keep all of that in memory.
    const held = { ...named, payload: Buffer.from(payload), cursor: 0 }
    this.put(id, held)
  }

  /** The same for everybody who reads it: it has one position in all mailboxes. */
  get(id: number, cursor: number): StoredEntry | undefined {
    const held = this.#held.get(id)
    if (held) held.cursor = cursor
    return held
  }

  put(id: number, entry: StoredEntry): void {
    this.#newestId = Math.max(id, this.#newestId ?? id)
    this.#held.set(id, entry, entryBytes(entry) + FRAME_BYTES)
  }
}
