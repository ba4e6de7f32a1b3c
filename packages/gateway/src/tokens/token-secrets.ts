// The text of a token: a mark that scanners for secrets can find, its id, and the secret, of which only a hash is stored.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { toBase32, toBase64Url } from '@postern/protocol'

const SECRET_BYTES = 32
/** Eight letters. They open nothing. */
const ID_BYTES = 5
const form = /^postern_([a-z0-9]{8})_([\w-]{43})$/

export type NewSecret = { id: string; text: string; secretHash: string }

export function newSecret(): NewSecret {
  const id = toBase32(randomBytes(ID_BYTES))
  const secret = toBase64Url(randomBytes(SECRET_BYTES))
  return { id, text: `postern_${id}_${secret}`, secretHash: hashOf(secret) }
}

/** 256 bits are beyond guessing, so a fast hash is enough. */
const hashOf = (secret: string): string => hash('sha256', secret, 'base64url')

export function readSecret(text: string): { id: string; matches: (secretHash: string) => boolean } | undefined {
  const [, id, secret] = form.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  const given = Buffer.from(hashOf(secret))
  return { id, matches: secretHash => timingSafeEqual(given, Buffer.from(secretHash)) }
}
