// The number that two people compare, aloud or by a picture, to be sure that nobody intercepts their chat.
import type { MlsProvider } from '@postern/mls'
import { type AccountId, accountIdFromHash, concatBytes, toBase64Url, utf8 } from '@postern/protocol'

export type SafetyNumber = {
  /** Twelve groups of five digits, the same on both sides. */
  number: string
  /**
   * The same for a QR code, with both account ids, so that a code of another person is distinguished from a wrong one.
   */
  qr: string
}

const VERSION = 1
const LABEL = utf8(`postern safety number v${VERSION}`)
const GROUPS = 12
const GROUP_BYTES = 5
/**
 * Sixty digits are beyond any search. Many people compare the first few groups only. An attacker that searches for a
 * key that agrees in those pays this cost for every try; two honest people pay a few milliseconds once.
 */
const ROUNDS = 5200

/** Made of both account keys together, in an order that both sides share: neither half can be searched for alone. */
export function safetyNumber(provider: MlsProvider, one: Uint8Array, other: Uint8Array): SafetyNumber {
  const keys = isBelow(one, other) ? concatBytes(one, other) : concatBytes(other, one)
  let digest = provider.sha512(concatBytes(LABEL, keys))
  for (let round = 1; round < ROUNDS; round++) digest = provider.sha512(concatBytes(digest, keys))
  const ids = [accountOf(provider, one), accountOf(provider, other)].toSorted()
  return { number: digitsOf(digest), qr: `postern-safety:${VERSION}:${ids.join(':')}:${toBase64Url(digest)}` }
}

const accountOf = (provider: MlsProvider, key: Uint8Array): AccountId => accountIdFromHash(provider.sha256(key))

function isBelow(one: Uint8Array, other: Uint8Array): boolean {
  const at = one.findIndex((byte, index) => byte !== other[index])
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
}

/** Forty bits for five digits: the bias between digits is negligible. */
function digitsOf(digest: Uint8Array): string {
  const groups = Array.from({ length: GROUPS }, (_, group) => {
    const bytes = digest.subarray(group * GROUP_BYTES, (group + 1) * GROUP_BYTES)
    const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
    return String(value % 100_000).padStart(5, '0')
  })
  return groups.join(' ')
}
