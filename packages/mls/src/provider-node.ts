// Cryptography in Node: node:crypto, synchronous, with the key objects of long-lived keys kept.
import crypto, { type KeyObject } from 'node:crypto'
import { copyBytes, mlsLimits } from '@postern/protocol'
import type { CiphersuiteImpl } from 'ts-mls'
import { type HpkePrimitives, makeHpke, makeKdf, type PublicHandle, type SecretHandle } from './hpke.ts'
import { KEY_BYTES, MLS_SUITE, type MlsProvider, SIGNATURE_BYTES, type SigningKey, TAG_BYTES } from './provider.ts'

/** Above this createHmac is faster than two one-shot hashes over a copy. */
const SHORT_MESSAGE_BYTES = 2048
const BLOCK_BYTES = 64

/** Bytes of their own: a pooled Buffer would be shared with strangers, and its slice() is a view. */
function ownBytes(buffer: Buffer): Uint8Array {
  if (buffer.byteLength === buffer.buffer.byteLength) return new Uint8Array(buffer.buffer)
  return Uint8Array.prototype.slice.call(buffer)
}

const sha256 = (bytes: Uint8Array): Uint8Array => ownBytes(crypto.hash('sha256', bytes, 'buffer'))
const sha512 = (bytes: Uint8Array): Uint8Array => ownBytes(crypto.hash('sha512', bytes, 'buffer'))

// Scratch for HMAC: one synchronous call at a time, so one is enough.
const inner = Buffer.alloc(BLOCK_BYTES + SHORT_MESSAGE_BYTES)
const outer = Buffer.alloc(BLOCK_BYTES + KEY_BYTES)

/**
 * HMAC written out (RFC 2104): createHmac costs a key object and a stream per call, 10 µs against 2.
 * The digests come as binary strings because a Buffer costs more than the hash.
 */
function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  if (key.length > BLOCK_BYTES || message.length > SHORT_MESSAGE_BYTES) {
    return ownBytes(crypto.createHmac('sha256', crypto.createSecretKey(key)).update(message).digest())
  }
  for (let i = 0; i < BLOCK_BYTES; i++) {
    const byte = key[i] ?? 0
    inner[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  inner.set(message, BLOCK_BYTES)
  outer.write(crypto.hash('sha256', inner.subarray(0, BLOCK_BYTES + message.length), 'binary'), BLOCK_BYTES, 'binary')
  const digest = crypto.hash('sha256', outer, 'binary')
  const mac = new Uint8Array(KEY_BYTES)
  for (let i = 0; i < KEY_BYTES; i++) mac[i] = digest.charCodeAt(i)
  return mac
}

type GcmName = 'aes-128-gcm' | 'aes-256-gcm'
type Aad = Uint8Array | undefined

/** Node 24 takes a raw key 25 µs slower than a key object. */
function gcm(name: GcmName): Pick<HpkePrimitives, 'aesSeal' | 'aesOpen'> {
  return {
    aesSeal(key: Uint8Array, nonce: Uint8Array, aad: Aad, plaintext: Uint8Array) {
      const cipher = crypto.createCipheriv(name, crypto.createSecretKey(key), nonce)
      if (aad !== undefined && aad.length > 0) cipher.setAAD(aad)
      const sealed = new Uint8Array(plaintext.length + TAG_BYTES)
      sealed.set(cipher.update(plaintext))
      cipher.final()
      sealed.set(cipher.getAuthTag(), plaintext.length)
      return sealed
    },
    aesOpen(key: Uint8Array, nonce: Uint8Array, aad: Aad, ciphertext: Uint8Array) {
      if (ciphertext.length < TAG_BYTES) throw new RangeError('Ciphertext is shorter than its tag')
      const tagStart = ciphertext.length - TAG_BYTES
      // A tag length must be named: Node would otherwise accept a tag cut down to four bytes.
      const decipher = crypto.createDecipheriv(name, crypto.createSecretKey(key), nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(ciphertext.subarray(tagStart))
      if (aad !== undefined && aad.length > 0) decipher.setAAD(aad)
      const plaintext = ownBytes(decipher.update(ciphertext.subarray(0, tagStart)))
      decipher.final()
      return plaintext
    },
  }
}

type Curve = 'X25519' | 'Ed25519'
const base64url = (raw: Uint8Array) => Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('base64url')
const fromBase64url = (text: string | undefined) => Uint8Array.from(Buffer.from(text ?? '', 'base64url'))

// JWK is the quick way in and out: OpenSSL's DER coders cost 50 to 700 µs per key. `x` is not read for a secret key.
const secretKeyObject = (crv: Curve, raw: Uint8Array) =>
  crypto.createPrivateKey({ key: { kty: 'OKP', crv, x: '', d: base64url(raw) }, format: 'jwk' })
const publicKeyObject = (crv: Curve, raw: Uint8Array) =>
  crypto.createPublicKey({ key: { kty: 'OKP', crv, x: base64url(raw) }, format: 'jwk' })
const rawSecret = (key: KeyObject) => fromBase64url(key.export({ format: 'jwk' }).d)
const rawPublic = (key: KeyObject) => fromBase64url(key.export({ format: 'jwk' }).x)

const x25519: HpkePrimitives['x25519'] = {
  generate() {
    const { privateKey } = crypto.generateKeyPairSync('x25519')
    return { native: privateKey, raw: rawSecret(privateKey) }
  },
  importSecret: (raw): SecretHandle => ({ native: secretKeyObject('X25519', raw), raw: copyBytes(raw) }),
  importPublic: (raw): PublicHandle => ({ native: publicKeyObject('X25519', raw), raw: copyBytes(raw) }),
  publicOf(secret) {
    const native = crypto.createPublicKey(secret.native as KeyObject)
    return { native, raw: rawPublic(native) }
  },
  agree: (secret, theirs) =>
    crypto.diffieHellman({ privateKey: secret.native as KeyObject, publicKey: theirs.native as KeyObject }),
}

/** The least recently used entry falls out: a stranger's flood of keys must not fill memory. */
class KeyCache {
  readonly #keys = new Map<string, KeyObject>()

  get(raw: Uint8Array, make: () => KeyObject): KeyObject {
    const id = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1')
    const kept = this.#keys.get(id)
    if (kept !== undefined) this.#keys.delete(id)
    const key = kept ?? make()
    this.#keys.set(id, key)
    if (this.#keys.size > mlsLimits.verifyKeysCachedMax) this.#keys.delete(this.#keys.keys().next().value as string)
    return key
  }
}

function makeSigning() {
  const verifyKeys = new KeyCache()
  // Kept with the bytes they came from: the key object goes when the caller lets go of the secret.
  const signKeys = new WeakMap<Uint8Array, { raw: Uint8Array; key: KeyObject }>()

  function signKeyOf(secretKey: Uint8Array): KeyObject {
    const kept = signKeys.get(secretKey)
    if (kept !== undefined && Buffer.compare(kept.raw, secretKey) === 0) return kept.key
    if (secretKey.length !== KEY_BYTES) throw new RangeError('An Ed25519 secret key has 32 bytes')
    const key = secretKeyObject('Ed25519', secretKey)
    signKeys.set(secretKey, { raw: copyBytes(secretKey), key })
    return key
  }
  return {
    async sign(secretKey: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
      return ownBytes(crypto.sign(null, message, signKeyOf(secretKey)))
    },
    async verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
      if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false
      const key = verifyKeys.get(publicKey, () => publicKeyObject('Ed25519', publicKey))
      return crypto.verify(null, message, key, signature)
    },
    async generateSigningKey(): Promise<SigningKey> {
      const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519')
      return { publicKey: rawPublic(publicKey), secretKey: rawSecret(privateKey) }
    },
  }
}

export function makeNodeProvider(): MlsProvider {
  const randomBytes = (count: number) => ownBytes(crypto.randomFillSync(Buffer.allocUnsafeSlow(count)))
  const { sign, verify, generateSigningKey } = makeSigning()
  const aes256 = gcm('aes-256-gcm')
  const cipherSuite: CiphersuiteImpl = {
    name: MLS_SUITE,
    hpke: makeHpke({ hmac, ...gcm('aes-128-gcm'), x25519 }),
    kdf: makeKdf({ hmac }),
    rng: { randomBytes },
    signature: {
      sign,
      verify,
      async keygen() {
        const { publicKey, secretKey } = await generateSigningKey()
        return { publicKey, signKey: secretKey }
      },
    },
    hash: {
      digest: async bytes => sha256(bytes),
      mac: async (key, bytes) => hmac(key, bytes),
      async verifyMac(key, mac, bytes) {
        const expected = hmac(key, bytes)
        return expected.length === mac.length && crypto.timingSafeEqual(expected, mac)
      },
    },
  }
  return {
    cipherSuite,
    sha256,
    sha512,
    randomBytes,
    agreementPublicKey: secretKey => x25519.publicOf(x25519.importSecret(secretKey)).raw,
    sign,
    verify,
    generateSigningKey,
    aeadSeal: async ({ key, nonce, aad }, plaintext) => aes256.aesSeal(key, nonce, aad, plaintext),
    aeadOpen: async ({ key, nonce, aad }, ciphertext) => aes256.aesOpen(key, nonce, aad, ciphertext),
  }
}
