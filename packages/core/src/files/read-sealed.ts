// Reads a file, or a part of it, from its ciphertext: chunk by chunk, and nothing that was not proven.
import { CodedError } from '@postern/protocol'
import { chunksOf, type FileRange, wholeFile } from './file-format.ts'
import type { SealedBytes } from './file-vault.ts'
import type { FilesParts } from './files-parts.ts'

type Wanted = {
  key: Uint8Array
  size: number
  range?: FileRange | undefined
  /** `brief`: a piece holds only until the next one is asked for. */
  pieces: 'kept' | 'brief'
}

export async function* readSealed(
  { cipher, buffers }: Pick<FilesParts, 'cipher' | 'buffers'>,
  sealed: SealedBytes,
  { key, size, range = wholeFile(size), pieces }: Wanted,
): AsyncGenerator<Uint8Array> {
  if (range.start < 0 || range.end < range.start || range.start > Math.max(0, size - 1))
    throw new CodedError('bad-field', { field: 'range', rule: 'it begins and ends inside the file' })
  const chunkCipher = cipher.withKey(key)
  const buffer = buffers.borrow()
  try {
    for (const { nonce, sealedAt, sealedBytes, from, to } of chunksOf(size, range)) {
      const chunk = buffer.subarray(0, sealedBytes)
      const isWhole = (await sealed.read(chunk, sealedAt)) === sealedBytes
      const plaintext = isWhole ? await chunkCipher.open(nonce, chunk) : undefined
      if (!plaintext) throw new CodedError('file-damaged')
      if (to > from) yield plaintext.subarray(from, to)
      if (pieces === 'brief') cipher.free(plaintext)
    }
  } finally {
    buffers.giveBack(buffer)
  }
}
