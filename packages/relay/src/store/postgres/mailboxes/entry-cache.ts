// The newest entries in memory, by id: most readers are caught up, so a payload is not fetched for each of them.

import { WeightedCache } from '@postern/protocol'
import { entryBytes } from '../../entry-bytes.ts'
import type { StoredEntry } from '../../relay-store.ts'
import type { LoggedEntry } from '../groups/logged-entry.ts'

/** Memory that an entry takes in addition to its payload. */
const FRAME_BYTES = 256

export class EntryCache {
  readonly #held: WeightedCache<number, StoredEntry>
  #newestId: number | undefined

  constructor(bytesMax: number) {
    this.#held = new WeightedCache(bytesMax)
  }

  /** The highest id that was ever cached. */
  get newestId(): number | undefined {
    return this.#newestId
  }

  /** The position is known once the entry is in a mailbox. */
  add(id: number, { group, kind, sender, seq, ts, payload, added, removed }: LoggedEntry): void {
    const named = { group: group.id, kind, sender: sender.id, seq, ts, added, removed }
    // A copy: the payload is a view of the received buffer and would keep all of it in memory.
    const held = { ...named, payload: Buffer.from(payload), cursor: 0 }
    this.put(id, held)
  }

  /** The same object for every reader: an entry has one position in all mailboxes. */
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
