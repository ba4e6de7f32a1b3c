// Which Ed25519 signatures are looked at. Libraries differ about keys and points that nobody makes by accident, and what one
// member takes and another refuses splits a group: behind this rule OpenSSL, libsodium, browsers and noble answer alike.
import { KEY_BYTES, SIGNATURE_BYTES } from './provider.ts'

/** The byte that counts most: numbers stand little-endian in keys and signatures. */
const TOP = KEY_BYTES - 1
const ALL_BITS = 0xff
/** The first bit of a point says which of two it is, and not how large. */
const BITS_OF_Y = 0x7f

const number = (hex: string): Uint8Array =>
  Uint8Array.from({ length: KEY_BYTES }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2) || '0', 16))

/** Less than 0, 0 or more, like the difference between what stands there and a number. */
const comparedTo = (to: Uint8Array, topBits: number) => (bytes: Uint8Array, at: number) => {
  let difference = ((bytes[at + TOP] as number) & topBits) - (to[TOP] as number)
  for (let i = TOP - 1; difference === 0 && i >= 0; i--) difference = (bytes[at + i] as number) - (to[i] as number)
  return difference
}

const toOrder = comparedTo(number('edd3f55c1a631258d69cf7a2def9de14').with(TOP, 0x10), ALL_BITS)
const toOne = comparedTo(number('01'), BITS_OF_Y)
/** From 2^255 - 20 on y is -1, or a second form of a small number. */
const toMinusOne = comparedTo(new Uint8Array(KEY_BYTES).fill(0xff).with(0, 0xec).with(TOP, 0x7f), BITS_OF_Y)
/** The y of the points of order 8: one, and its opposite. */
const toEighths = [
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map(y => comparedTo(number(y), BITS_OF_Y))

/** A point of small order, whose signatures anybody can make, or one that is not in its one form. */
const isWeak = (bytes: Uint8Array, at: number): boolean =>
  toOne(bytes, at) <= 0 || toMinusOne(bytes, at) >= 0 || toEighths.some(compare => compare(bytes, at) === 0)

/** Right in size and form. Whether it verifies, by the equation S·B = R + h·A without a cofactor, is the library's to say. */
export const isStrict = (publicKey: Uint8Array, signature: Uint8Array): boolean =>
  publicKey.length === KEY_BYTES &&
  signature.length === SIGNATURE_BYTES &&
  !isWeak(publicKey, 0) &&
  !isWeak(signature, 0) &&
  toOrder(signature, KEY_BYTES) < 0
