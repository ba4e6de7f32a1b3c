// A file whose ciphertext somebody has fetched without an account: the copy that moves one to another device.
import { CodedError, concatBytes, equalBytes } from '@postern/protocol'
import { ChunkBuffers } from './chunk-buffers.ts'
import type { FileCipher } from './file-cipher.ts'
import type { StoredFile } from './files-parts.ts'
import { readSealed } from './read-sealed.ts'

export type Carried = Pick<StoredFile, 'key' | 'digest' | 'size'> & { sealed: Uint8Array }

/** Throws `file-damaged` for other bytes than were sent. */
export async function openCarried(cipher: FileCipher, { sealed, key, digest, size }: Carried): Promise<Uint8Array> {
  const hash = cipher.sha256()
  hash.update(sealed)
  if (!equalBytes(hash.digest(), digest)) throw new CodedError('file-damaged')
  const read = (into: Uint8Array, at: number): Promise<number> => {
    const piece = sealed.subarray(at, at + into.length)
    into.set(piece)
    return Promise.resolve(piece.length)
  }
  const pieces: Uint8Array[] = []
  const parts = { cipher, buffers: new ChunkBuffers() }
  for await (const piece of readSealed(parts, { read }, { key, size, pieces: 'kept' })) pieces.push(piece)
  return concatBytes(...pieces)
}
