// Where the bytes of blobs are. What is known about a blob is in the RelayStore.
import { type BlobId, CodedError } from '@postern/protocol'

/**
 * `whole`: the body has ended. `broken`: it broke off. `complete`: nothing comes behind it, and all is in its place, with
 * nothing left to be done. `overtaken`: another relay has written to the blob meanwhile, and nothing of this body counts.
 */
export type AppendResult = { kind: 'whole' | 'broken' | 'complete' | 'overtaken'; length: number }

/** Where a piece begins, how long the blob may become, and who is asked before anything is written. */
export type PieceBounds = {
  offset: number
  lengthMax: number
  /** The blob ends where the body ends, unless that breaks off. */
  isLast: boolean
  room: { spend(bytes: number): CodedError | undefined }
}

export interface BlobStore {
  /** How many bytes of an unfinished blob are there: 0 when nobody has written to it. */
  length(blob: BlobId): Promise<number>
  /**
   * Appends what comes, each piece before the next one is asked for; durably when it returns, also when `body` breaks
   * off. Throws `too-large` as soon as more comes than fits in `lengthMax`, and what `room` gives.
   */
  append(blob: BlobId, body: AsyncIterable<Uint8Array>, at: PieceBounds): Promise<AppendResult>
  /** So many bytes are all of it: it can be read from now on. `overtaken` when there are not so many. */
  complete(blob: BlobId, length: number): Promise<'complete' | 'overtaken'>
  /** Undefined when there are no bytes. `end` is the last byte. Each piece holds only until the next one is asked for. */
  read(blob: BlobId, range: { start: number; end: number }): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Also what was written by somebody who was cut off. */
  delete(blob: BlobId): Promise<void>
  /** Nothing is begun any more, and what is under way ends soon. */
  close(): void
}

/** Undefined when so many bytes more may be written behind `length`; then they count. */
export function refusalOf(
  bytes: number,
  { length, lengthMax, room }: Pick<PieceBounds, 'lengthMax' | 'room'> & { length: number },
): CodedError | undefined {
  if (length + bytes > lengthMax) return new CodedError('too-large', { what: 'The blob', max: lengthMax })
  return room.spend(bytes)
}
