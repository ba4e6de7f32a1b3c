// Where the bytes of blobs are. What is known about a blob is in the RelayStore.
import type { BlobId, CodedError } from '@postern/protocol'

/** `isWhole` when the body has ended, and did not break off. */
export type Appended = { length: number; isWhole: boolean }

/** Where a piece begins, how long the blob may become, and who is asked before anything is written. */
export type Place = {
  offset: number
  lengthMax: number
  room: { spend(bytes: number): CodedError | undefined }
}

export interface BlobStore {
  /** How many bytes are there: 0 for a blob that nobody has written to. */
  length(blob: BlobId): Promise<number>
  /**
   * Appends what comes, each piece before the next one is asked for; durably when it returns, also when `body` breaks
   * off. Throws `too-large` as soon as more comes than fits in `lengthMax`, and what `room` gives.
   */
  append(blob: BlobId, body: AsyncIterable<Uint8Array>, at: Place): Promise<Appended>
  /** Undefined when there are no bytes. `end` is the last byte. Each piece holds only until the next one is asked for. */
  read(blob: BlobId, range: { start: number; end: number }): Promise<AsyncIterable<Uint8Array> | undefined>
  delete(blob: BlobId): Promise<void>
}
