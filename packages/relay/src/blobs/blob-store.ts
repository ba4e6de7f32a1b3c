// Storage for the bytes of blobs. The RelayStore has their metadata.
import { type BlobId, CodedError } from '@postern/protocol'

/**
 * `whole`: the body has ended. `broken`: the body broke off. `complete`: the blob ends here, and everything is stored
 * and in place. `overtaken`: another relay has written to the blob in the meantime, so nothing of this body counts.
 */
export type AppendResult = { kind: 'whole' | 'broken' | 'complete' | 'overtaken'; length: number }

/** Where a piece begins, how long the blob may become, and the space to request before writing. */
export type PieceBounds = {
  offset: number
  lengthMax: number
  /** The blob ends where the body ends, unless the body breaks off. */
  isLast: boolean
  room: { spend(bytes: number): CodedError | undefined }
}

export interface BlobStore {
  /** The stored bytes of an unfinished blob: 0 if none were written. */
  length(blob: BlobId): Promise<number>
  /**
   * Appends the body, writing each piece before it requests the next one. All is durable when it returns, even if
   * `body` breaks off. Throws `too-large` as soon as the body exceeds `lengthMax`, and the refusal of `room`.
   */
  append(blob: BlobId, body: AsyncIterable<Uint8Array>, at: PieceBounds): Promise<AppendResult>
  /**
   * Marks the blob as complete with this length, so that it can be read.
   * Returns `overtaken` if the stored length differs.
   */
  complete(blob: BlobId, length: number): Promise<'complete' | 'overtaken'>
  /**
   * Returns undefined if there are no bytes. `end` is the last byte.
   * A piece is valid only until the next one is requested.
   */
  read(blob: BlobId, range: { start: number; end: number }): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Also deletes bytes of an interrupted writer. */
  delete(blob: BlobId): Promise<void>
  /** Starts nothing new; running requests end soon. */
  close(): void
}

/** Returns undefined if the bytes may be written after `length`; they then count. */
export function refusalOf(
  bytes: number,
  { length, lengthMax, room }: Pick<PieceBounds, 'lengthMax' | 'room'> & { length: number },
): CodedError | undefined {
  if (length + bytes > lengthMax) return new CodedError('too-large', { what: 'The blob', max: lengthMax })
  return room.spend(bytes)
}
