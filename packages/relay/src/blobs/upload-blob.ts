// Writes a piece of a blob where the last one ended. A newer upload of the same blob replaces an older one.
import { type AccountId, type BlobId, CodedError } from '@postern/protocol'
import type { StoredBlob } from '../store/relay-store.ts'
import type { AppendResult } from './blob-store.ts'
import { type BlobParts, completeBlob, noteComplete, standingNow, standingOf, type UploadState } from './blobs.ts'

export type BlobPiece = {
  owner: AccountId
  offset: number
  body: AsyncIterable<Uint8Array>
  /** Makes the body end early. */
  abort: () => void
  /** Whether the blob ends where the body ends. */
  isLast: boolean
}

export type UploadResult = UploadState & { kind: 'written' | 'elsewhere' }

/** The state after a piece was written. */
type Behind = { now: StoredBlob; appended: AppendResult; isLast: boolean }

type Running = { owner: AccountId; abort: () => void; done: Promise<unknown> }

export class BlobUploads {
  readonly #parts: BlobParts
  readonly #running = new Map<BlobId, Running>()

  constructor(parts: BlobParts) {
    this.#parts = parts
  }

  /** Returns `elsewhere`, and writes nothing, if the blob does not end at the piece's offset. */
  async write(blob: BlobId, piece: BlobPiece): Promise<UploadResult> {
    // The client has abandoned the older connection, whose end may not be noticed here yet.
    for (let older = this.#running.get(blob); older; older = this.#running.get(blob)) {
      older.abort()
      await older.done
    }
    const writing = this.#write(blob, piece)
    const done = writing.catch(() => undefined)
    this.#running.set(blob, { owner: piece.owner, abort: piece.abort, done })
    try {
      return await writing
    } finally {
      this.#running.delete(blob)
    }
  }

  get count(): number {
    return this.#running.size
  }

  abortAll(): void {
    for (const { abort } of this.#running.values()) abort()
  }

  abortOf(account: AccountId): void {
    for (const { owner, abort } of this.#running.values()) if (owner === account) abort()
  }

  async #write(blob: BlobId, { offset, body, isLast }: BlobPiece): Promise<UploadResult> {
    // Read only now: an older upload may have completed the blob, and nothing may be written after its end.
    const stored = await this.#parts.store.getBlob(blob)
    if (!stored) throw new CodedError('blob-unknown')
    this.#parts.bans.assertAllowed(stored.owner)
    const before = await standingOf(this.#parts, blob, stored)
    if (offset !== before.length) return { kind: 'elsewhere', ...before }
    if (before.isComplete) return { kind: 'written', ...before }
    const { blobs, room } = this.#parts
    const appended = await blobs.append(blob, body, { offset, lengthMax: stored.size, isLast, room })
    // If the blob was swept or deleted in the meantime, its bytes must not come back.
    const now = await this.#parts.store.getBlob(blob)
    if (!now) {
      await this.#parts.blobs.delete(blob)
      throw new CodedError('blob-unknown')
    }
    if (appended.kind === 'overtaken') return { kind: 'elsewhere', ...(await standingNow(this.#parts, blob)) }
    return { kind: 'written', ...(await this.#standing(blob, { now, appended, isLast })) }
  }

  async #standing(blob: BlobId, { now, appended: { kind, length }, isLast }: Behind): Promise<UploadState> {
    if (kind === 'complete') return await noteComplete(this.#parts, blob, length)
    if (!isLast || kind === 'broken') return await standingOf(this.#parts, blob, now)
    if (length === 0)
      throw new CodedError('bad-field', { field: 'Upload-Complete', rule: 'must not end an empty blob' })
    return await completeBlob(this.#parts, blob, length)
  }
}
