// Keys and bytes between us and node:crypto.
import crypto, { type KeyObject } from 'node:crypto'

type Curve = 'X25519' | 'Ed25519'

/** A copy: a pooled Buffer would be shared with strangers, and its slice() is a view. */
export function ownBytes(buffer: Buffer): Uint8Array {
  if (buffer.byteLength === buffer.buffer.byteLength) return new Uint8Array(buffer.buffer)
  return Uint8Array.prototype.slice.call(buffer)
}

export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const fromBase64url = (text: string | undefined) => Uint8Array.from(Buffer.from(text ?? '', 'base64url'))

// JWK is the fast way in and out: OpenSSL's DER coders cost 50 to 700 µs per key. `x` is not read for a secret key.
export const secretKeyObject = (crv: Curve, raw: Uint8Array): KeyObject =>
  crypto.createPrivateKey({ key: { kty: 'OKP', crv, x: '', d: bufferOf(raw).toString('base64url') }, format: 'jwk' })
export const publicKeyObject = (crv: Curve, raw: Uint8Array): KeyObject =>
  crypto.createPublicKey({ key: { kty: 'OKP', crv, x: bufferOf(raw).toString('base64url') }, format: 'jwk' })
export const rawSecret = (key: KeyObject): Uint8Array => fromBase64url(key.export({ format: 'jwk' }).d)
export const rawPublic = (key: KeyObject): Uint8Array => fromBase64url(key.export({ format: 'jwk' }).x)
