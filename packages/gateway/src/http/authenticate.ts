// Reads the bearer token of a request, and compares secrets in constant time.
import { hash, timingSafeEqual } from 'node:crypto'

/** Only the secret's hash is kept. Hashes have one length, so the comparison reveals nothing about the secret. */
export function secretChecker(secret: string): (given: string) => boolean {
  const expected = hash('sha256', secret, 'buffer')
  return given => timingSafeEqual(hash('sha256', given, 'buffer'), expected)
}

export const bearerOf = (authorization = ''): string | undefined => /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
