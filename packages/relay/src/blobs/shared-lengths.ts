// Lengths of blobs in a directory that several relays write to. The database has the valid length: a file may contain
// more bytes that were never acknowledged, and may look shorter on another machine for a while.
import { randomUUID } from 'node:crypto'
import type { BlobId } from '@postern/protocol'
import type { BlobPartStore } from '../store/relay-store.ts'
import { lastSeen, lengthOf } from '../store/rules/blob-parts.ts'

/** Counts a piece whose bytes are on disk. */
type NoteLength = (length: number) => Promise<'added' | 'overtaken'>

export class SharedLengths {
  readonly #parts: BlobPartStore

  constructor(parts: BlobPartStore) {
    this.#parts = parts
  }

  async of(blob: BlobId): Promise<number> {
    return lengthOf((await this.#parts.of(blob)).parts)
  }

  /** Returns undefined if the blob does not end at the offset. */
  async begin(blob: BlobId, offset: number): Promise<NoteLength | undefined> {
    const { parts } = await this.#parts.of(blob)
    if (lengthOf(parts) !== offset) return undefined
    const after = lastSeen(parts)
    return async size => {
      if (size === offset) return 'added'
      const part = { number: 1, kind: 'piece', size, tag: randomUUID() } as const
      return await this.#parts.add(blob, { part, from: 1, after })
    }
  }
}
