// Reads a file, or a part of it, from its ciphertext: chunk by chunk, and only proven bytes.
import { CodedError } from '@postern/protocol'
import { type ChunkPlace, chunksOf, type FileRange, STRETCH_BYTES, wholeFile } from '../cipher/file-format.ts'
import type { FilesContext } from '../files-context.ts'
import type { SealedBytes } from '../vault/file-vault.ts'

type Wanted = {
  key: Uint8Array
  size: number
  range?: FileRange | undefined
  /** `brief`: a piece is valid only until the next one is requested. */
  pieces: 'kept' | 'brief'
}

export async function* readSealed(
  { cipher, buffers }: Pick<FilesContext, 'cipher' | 'buffers'>,
  sealed: SealedBytes,
  { key, size, range = wholeFile(size), pieces }: Wanted,
): AsyncGenerator<Uint8Array> {
  if (range.start < 0 || range.end < range.start || range.start > Math.max(0, size - 1))
    throw new CodedError('bad-field', { field: 'range', rule: 'must begin and end inside the file' })
  const chunkCipher = cipher.withKey(key)
  const buffer = buffers.borrow()
  try {
    for (const stretch of stretchesOf(chunksOf(size, range))) {
      const at = stretch.chunks[0]?.sealedAt ?? 0
      const count = await sealed.read(buffer.subarray(0, stretch.sealedBytes), at)
      for (const { nonce, sealedAt, sealedBytes, from, to } of stretch.chunks) {
        const end = sealedAt - at + sealedBytes
        const plaintext = end <= count ? await chunkCipher.open(nonce, buffer.subarray(sealedAt - at, end)) : undefined
        if (!plaintext) throw new CodedError('file-damaged')
        if (to > from) yield plaintext.subarray(from, to)
        if (pieces === 'brief') cipher.free(plaintext)
      }
    }
  } finally {
    buffers.giveBack(buffer)
  }
}

type Stretch = { chunks: ChunkPlace[]; sealedBytes: number }

/** Consecutive chunks, as many as one read covers. */
function* stretchesOf(chunks: Iterable<ChunkPlace>): Generator<Stretch> {
  let stretch: Stretch = { chunks: [], sealedBytes: 0 }
  for (const chunk of chunks) {
    if (stretch.sealedBytes + chunk.sealedBytes > STRETCH_BYTES) {
      yield stretch
      stretch = { chunks: [], sealedBytes: 0 }
    }
    stretch.chunks.push(chunk)
    stretch.sealedBytes += chunk.sealedBytes
  }
  if (stretch.chunks.length > 0) yield stretch
}
