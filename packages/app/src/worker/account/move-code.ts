// The code that moves an account: the place of its copy, and the secret that opens it. People scan it, or type it from
// a screen.
import type { FileCipher } from '@postern/core'
import {
  BLOB_ID_BYTES,
  type BlobId,
  blobIdFromBytes,
  bytesOf,
  concatBytes,
  equalBytes,
  fromBase32,
  toBase32,
  utf8,
} from '@postern/protocol'
import { AppError } from '../app-error.ts'

export const SEED_BYTES = 16
/** A typing error is noticed here: at the relay it would use up the code. */
const CHECK_BYTES = 2
const CODE_BYTES = BLOB_ID_BYTES + SEED_BYTES + CHECK_BYTES
const GROUP_CHARS = 5

export type MoveCode = { blob: BlobId; seed: Uint8Array }

export function writeMoveCode(cipher: FileCipher, { blob, seed }: MoveCode): string {
  const body = concatBytes(bytesOf(blob), seed)
  const text = toBase32(concatBytes(body, hashed(cipher, 'postern move check', body).subarray(0, CHECK_BYTES)))
  return text.match(new RegExp(`.{1,${GROUP_CHARS}}`, 'g'))?.join('-') ?? text
}

/** With any separators and in any case; characters outside the alphabet are read as those that they look like. */
export function readMoveCode(cipher: FileCipher, typed: string): MoveCode {
  const looksLike: Readonly<Record<string, string>> = { 0: 'o', 1: 'l', 8: 'b' }
  const text = typed
    .toLowerCase()
    .replace(/[\s-]/g, '')
    .replace(/[018]/g, sign => looksLike[sign] ?? sign)
  const bytes = fromBase32(text)
  const body = bytes?.subarray(0, BLOB_ID_BYTES + SEED_BYTES)
  const check = body && hashed(cipher, 'postern move check', body).subarray(0, CHECK_BYTES)
  if (!bytes || !body || !check || bytes.length !== CODE_BYTES || !equalBytes(bytes.subarray(-CHECK_BYTES), check))
    throw new AppError('move-code-wrong')
  return { blob: blobIdFromBytes(body.slice(0, BLOB_ID_BYTES)), seed: body.slice(BLOB_ID_BYTES) }
}

/** The key of the copy: it never leaves the two devices. */
export const moveKey = (cipher: FileCipher, seed: Uint8Array): Uint8Array => hashed(cipher, 'postern move key', seed)

function hashed(cipher: FileCipher, label: string, bytes: Uint8Array): Uint8Array {
  const hash = cipher.sha256()
  hash.update(concatBytes(utf8(`${label} v1:`), bytes))
  return hash.digest()
}
