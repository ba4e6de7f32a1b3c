// Compares the bearer token of a request with the configured one in constant time.
import { hash, timingSafeEqual } from 'node:crypto'

/** Only the token's hash is kept. Hashes have one length, so the comparison reveals nothing about the token. */
export function tokenChecker(botToken: string): (authorization: string | undefined) => boolean {
  const expected = hash('sha256', botToken, 'buffer')
  return authorization => {
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    return given !== undefined && timingSafeEqual(hash('sha256', given, 'buffer'), expected)
  }
}
