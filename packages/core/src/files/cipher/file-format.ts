// A file as ciphertext: chunks of 256 KiB, each sealed under a nonce of its number and whether it is the last (STREAM).
// Opening the chunks detects those that are swapped, left out, cut off or added.
import { TAG_BYTES } from '@postern/mls'

export const CHUNK_BYTES = 256 * 1024
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES
/** The unit of disk access: several whole chunks, because an access costs more than a chunk. */
export const STRETCH_BYTES = 4 * SEALED_CHUNK_BYTES
const NONCE_BYTES = 12
/** The number takes 11 bytes, big-endian; the highest three stay zero. */
const NUMBER_AT = 3

/** A range of bytes; `end` is the last of them. */
export type FileRange = { start: number; end: number }

/** The place of a chunk in the ciphertext, and its wanted bytes. */
export type ChunkPlace = {
  nonce: Uint8Array
  sealedAt: number
  sealedBytes: number
  from: number
  to: number
}

/** An empty file has one chunk, too: its emptiness must be proven like everything else. */
const chunkCount = (size: number): number => Math.max(1, Math.ceil(size / CHUNK_BYTES))

export const sealedLength = (size: number): number => size + chunkCount(size) * TAG_BYTES

/** Undefined if no file has this sealed length. */
export function plainLength(sealedBytes: number): number | undefined {
  const chunks = Math.ceil(sealedBytes / SEALED_CHUNK_BYTES)
  const size = sealedBytes - chunks * TAG_BYTES
  return size >= 0 && sealedLength(size) === sealedBytes ? size : undefined
}

export function chunkNonce(index: number, { isLast }: { isLast: boolean }): Uint8Array {
  const nonce = new Uint8Array(NONCE_BYTES)
  new DataView(nonce.buffer).setBigUint64(NUMBER_AT, BigInt(index))
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0
  return nonce
}

/** The chunks that hold a range of a file of `size` bytes, in order. */
export function* chunksOf(size: number, { start, end }: FileRange): Generator<ChunkPlace> {
  const last = chunkCount(size) - 1
  for (let index = Math.floor(start / CHUNK_BYTES); index <= Math.min(last, Math.floor(end / CHUNK_BYTES)); index++) {
    const plainAt = index * CHUNK_BYTES
    const plainBytes = Math.min(CHUNK_BYTES, size - plainAt)
    yield {
      nonce: chunkNonce(index, { isLast: index === last }),
      sealedAt: index * SEALED_CHUNK_BYTES,
      sealedBytes: plainBytes + TAG_BYTES,
      from: Math.max(0, start - plainAt),
      to: Math.min(plainBytes, end + 1 - plainAt),
    }
  }
}

export const wholeFile = (size: number): FileRange => ({ start: 0, end: Math.max(0, size - 1) })
