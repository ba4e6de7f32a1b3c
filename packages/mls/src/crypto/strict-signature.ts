// The rule for acceptable Ed25519 signatures. Libraries differ about keys and points that nobody makes by accident, and
// a signature that one member accepts and another refuses splits a group. With this rule OpenSSL, libsodium, browsers
// and noble give the same answers.
import { KEY_BYTES, SIGNATURE_BYTES } from './provider.ts'

const PRIME = 2n ** 255n - 19n
/** The order of the base point. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
/** The y of two points of order 8; the other two have its negative. */
const EIGHTH = 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n
/** The first bit of a point is the sign of x, and not part of y. */
const BITS_OF_Y = 0x7f

/** Negative, 0 or positive, like the difference between the little-endian number in the bytes and the given number. */
function minus(number: bigint, topBits: number): (bytes: Uint8Array, at: number) => number {
  const digits = Uint8Array.from({ length: KEY_BYTES }, (_, i) => Number((number >> BigInt(8 * i)) & 0xffn))
  return (bytes, at) => {
    let i = KEY_BYTES - 1
    let difference = ((bytes[at + i] as number) & topBits) - (digits[i] as number)
    while (difference === 0 && i-- > 0) difference = (bytes[at + i] as number) - (digits[i] as number)
    return difference
  }
}

const minusOrder = minus(ORDER, 0xff)
const minusOne = minus(1n, BITS_OF_Y)
const minusLast = minus(PRIME - 1n, BITS_OF_Y)
const minusEighths = [EIGHTH, PRIME - EIGHTH].map(y => minus(y, BITS_OF_Y))

/** Has a small order, so that anybody can sign for it, or is not canonical: y is 0, 1, -1, one of order 8, or too large. */
const isWeak = (bytes: Uint8Array, at: number): boolean =>
  minusOne(bytes, at) <= 0 ||
  minusLast(bytes, at) >= 0 ||
  minusEighths.some(minusEighth => minusEighth(bytes, at) === 0)

/** Valid in size and form. The library checks the signature itself, by S·B = R + h·A and not by eight times that. */
export const isStrict = (publicKey: Uint8Array, signature: Uint8Array): boolean =>
  publicKey.length === KEY_BYTES &&
  signature.length === SIGNATURE_BYTES &&
  !isWeak(publicKey, 0) &&
  !isWeak(signature, 0) &&
  minusOrder(signature, KEY_BYTES) < 0
