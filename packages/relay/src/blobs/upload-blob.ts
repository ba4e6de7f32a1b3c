// Writes a piece of a blob where the last one ended. A newer upload of the same blob takes over from an older one.
import { type BlobId, CodedError } from '@postern/protocol'
import type { RelayParts } from '../relay-parts.ts'
import type { StoredBlob } from '../store/relay-store.ts'
import { uploadedLength } from './blobs.ts'

export type Piece = {
  offset: number
  body: AsyncIterable<Uint8Array>
  /** Makes the body end early. */
  abort: () => void
}

export type Uploaded = { kind: 'written'; length: number } | { kind: 'elsewhere'; length: number }

type Running = { abort: () => void; done: Promise<unknown> }

export class BlobUploads {
  readonly #parts: RelayParts
  readonly #running = new Map<BlobId, Running>()

  constructor(parts: RelayParts) {
    this.#parts = parts
  }

  /** `elsewhere` when the blob does not end at the piece's offset; then nothing is written. */
  async write(blob: BlobId, stored: StoredBlob, piece: Piece): Promise<Uploaded> {
    // The client has given up on the older connection, whose end may not have been noticed here yet.
    for (let older = this.#running.get(blob); older; older = this.#running.get(blob)) {
      older.abort()
      await older.done
    }
    const writing = this.#write(blob, stored, piece)
    const done = writing.catch(() => undefined)
    this.#running.set(blob, { abort: piece.abort, done })
    try {
      return await writing
    } finally {
      this.#running.delete(blob)
    }
  }

  abortAll(): void {
    for (const { abort } of this.#running.values()) abort()
  }

  async #write(blob: BlobId, stored: StoredBlob, { offset, body }: Piece): Promise<Uploaded> {
    const present = await uploadedLength(this.#parts, blob, stored)
    if (offset !== present) return { kind: 'elsewhere', length: present }
    if (present === stored.size) return { kind: 'written', length: present }
    const length = await this.#parts.blobs.append(blob, body, { offset, lengthMax: stored.size })
    // It may have been swept or deleted meanwhile; then its bytes must not come back.
    if (!(await this.#parts.store.getBlob(blob))) {
      await this.#parts.blobs.delete(blob)
      throw new CodedError('blob-unknown')
    }
    await uploadedLength(this.#parts, blob, stored)
    return { kind: 'written', length }
  }
}
