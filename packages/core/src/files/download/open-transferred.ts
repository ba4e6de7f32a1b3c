// Opens a file whose ciphertext was fetched without an account: the copy that moves an account to another device.
import { CodedError, concatBytes } from '@postern/protocol'
import { ChunkBuffers } from '../cipher/chunk-buffers.ts'
import type { FileCipher } from '../cipher/file-cipher.ts'
import { plainLength } from '../cipher/file-format.ts'
import { readSealed } from './read-sealed.ts'

export type TransferredCopy = { sealed: Uint8Array; key: Uint8Array }

/** Throws `file-damaged` for other bytes than were sealed under the key, also when some of them are missing. */
export async function openTransferred(cipher: FileCipher, { sealed, key }: TransferredCopy): Promise<Uint8Array> {
  const size = plainLength(sealed.length)
  if (size === undefined) throw new CodedError('file-damaged')
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
