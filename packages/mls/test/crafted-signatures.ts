// Ed25519 signatures that nobody makes by accident: each a case in which libraries differ, with the answer that all of
// ours must give.
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@postern/protocol'
import { fromHex, utf8 } from './bytes.ts'

const { Point } = ed25519
type Point = InstanceType<typeof Point>

export interface CraftedSignature {
  name: string
  publicKey: Uint8Array
  signature: Uint8Array
  holds: boolean
}

export const CRAFTED_TEXT = utf8('hello')
const ORDER = Point.Fn.ORDER
const PRIME = Point.Fp.ORDER
const SIGN_BIT = 1n << 255n
/** Any numbers: a secret key, and the one that should be new for each signature. */
const SECRET = 271_828_182_845_904_523_536n
const ONCE = 314_159_265_358_979_323_846n

const times = (factor: bigint) => Point.BASE.multiply(factor)
const encoded = (number: bigint) => numberToBytesLE(number, 32)
const order8 = Point.fromBytes(fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'))
const smallOrder = Array.from({ length: 8 }, (_, i) => (i === 0 ? Point.ZERO : order8.multiplyUnsafe(BigInt(i))))

/**
 * -0, and numbers from the prime on, which are equal to smaller ones: only points of small order can be written like
 * this.
 */
const secondForms: Record<string, Uint8Array> = {
  'y = p': encoded(PRIME),
  'y = p + 1': encoded(PRIME + 1n),
  'y = p, x negative': encoded(PRIME | SIGN_BIT),
  'y = p + 1, x = -0': encoded((PRIME + 1n) | SIGN_BIT),
  'y = 1, x = -0': encoded(1n | SIGN_BIT),
  'y = -1, x = -0': encoded((PRIME - 1n) | SIGN_BIT),
}

const hashed = (r: Uint8Array, publicKey: Uint8Array) =>
  Point.Fn.create(bytesToNumberLE(sha512(concatBytes(r, publicKey, CRAFTED_TEXT))))

/** As if R were `once` times the base point and the public key `secret` times. */
function signedWith(keys: { r: Uint8Array; publicKey: Uint8Array; once: bigint; secret: bigint }): Uint8Array {
  const s = Point.Fn.create(keys.once + hashed(keys.r, keys.publicKey) * keys.secret)
  return concatBytes(keys.r, encoded(s))
}

function honest(once = ONCE) {
  const publicKey = times(SECRET).toBytes()
  return { publicKey, signature: signedWith({ r: times(once).toBytes(), publicKey, once, secret: SECRET }) }
}

/** Adds a number to the signature: the same signature again, if it were accepted. */
function withLargeS(added: bigint) {
  const { publicKey, signature } = honest()
  const s = bytesToNumberLE(signature.slice(32)) + added
  return { publicKey, signature: concatBytes(signature.slice(0, 32), encoded(s)) }
}

const withR = (r: Uint8Array, once: bigint) => {
  const publicKey = times(SECRET).toBytes()
  return { publicKey, signature: signedWith({ r, publicKey, once, secret: SECRET }) }
}

/** With a key for which anybody can sign: it adds nothing. Among many tries, some are valid even where the order counts. */
const withWeakKey = (publicKey: Uint8Array, once: bigint) => ({
  publicKey,
  signature: signedWith({ r: times(once).toBytes(), publicKey, once, secret: 0n }),
})

/**
 * A key with a component of small order. The equation holds if the hash makes that component vanish, and a signer can
 * try until it does.
 */
function withMixedKey(part: Point, vanishes: boolean) {
  const publicKey = times(SECRET).add(part).toBytes()
  for (let once = ONCE; ; once++) {
    const r = times(once).toBytes()
    const left = hashed(r, publicKey) % 8n
    const isGone = left === 0n || part.multiplyUnsafe(left).is0()
    if (isGone === vanishes) return { publicKey, signature: signedWith({ r, publicKey, once, secret: SECRET }) }
  }
}

const tries = Array.from({ length: 4 }, (_, i) => ONCE + BigInt(i))
const refused = (name: string, crafted: { publicKey: Uint8Array; signature: Uint8Array }): CraftedSignature => ({
  name,
  ...crafted,
  holds: false,
})

export function craftedSignatures(): CraftedSignature[] {
  const mixedParts = smallOrder.slice(1)
  const second = Object.entries(secondForms)
  const notAPoint = encoded(2n)
  return [
    { name: 'an honest one', ...honest(), holds: true },
    refused('S with the order added', withLargeS(ORDER)),
    refused('S with twice the order added', withLargeS(2n * ORDER)),
    refused('S with its highest bit set', withLargeS(SIGN_BIT)),
    refused('all zeros', { publicKey: honest().publicKey, signature: new Uint8Array(64) }),
    refused('all ones', { publicKey: honest().publicKey, signature: new Uint8Array(64).fill(0xff) }),
    refused('R that is no point', withR(notAPoint, 0n)),
    refused('a key that is no point', withWeakKey(notAPoint, ONCE)),
    ...smallOrder.map((point, i) => refused(`R of small order, ${i}`, withR(point.toBytes(), 0n))),
    ...second.map(([form, r]) => refused(`R of small order, ${form}`, withR(r, 0n))),
    ...mixedParts.map((part, i) =>
      refused(`R with a part of small order, ${i}`, withR(times(ONCE).add(part).toBytes(), ONCE)),
    ),
    ...smallOrder.flatMap((point, i) =>
      tries.map(once => refused(`a key of small order, ${i}`, withWeakKey(point.toBytes(), once))),
    ),
    ...second.flatMap(([form, key]) =>
      tries.map(once => refused(`a key of small order, ${form}`, withWeakKey(key, once))),
    ),
    ...mixedParts.map((part, i) => refused(`a key with a part of small order, ${i}`, withMixedKey(part, false))),
    ...mixedParts.map((part, i) => ({
      name: `a key with a part of small order that vanishes, ${i}`,
      ...withMixedKey(part, true),
      holds: true,
    })),
  ]
}
