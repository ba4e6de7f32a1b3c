// Cryptography in Node: node:crypto, synchronous, with the key objects of long-lived keys kept.
import crypto, { type KeyObject } from 'node:crypto'
import { copyBytes } from '@postern/protocol'
import type { CiphersuiteImpl } from 'ts-mls'
import { type Ed25519Options, generateSigningKey, makeEd25519 } from './ed25519-node.ts'
import { type HpkePrimitives, makeHpke, makeKdf, type PublicHandle, type SecretHandle } from './hpke.ts'
import { ownBytes, publicKeyObject, rawPublic, rawSecret, secretKeyObject } from './key-objects-node.ts'
import { KEY_BYTES, MLS_SUITE, type MlsProvider, TAG_BYTES } from './provider.ts'
import { makeRandomBytes } from './random-node.ts'
import { makeShortWay, type ShortPrimitives } from './short-way.ts'

/** Above this createHmac is faster than two one-shot hashes over a copy. */
const SHORT_MESSAGE_BYTES = 2048
const BLOCK_BYTES = 64

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
function gcm(name: GcmName) {
  return {
    aesSeal(key: Uint8Array, nonce: Uint8Array, aad: Aad, plaintext: Uint8Array): Uint8Array {
      const cipher = crypto.createCipheriv(name, crypto.createSecretKey(key), nonce)
      if (aad !== undefined && aad.length > 0) cipher.setAAD(aad)
      const sealed = new Uint8Array(plaintext.length + TAG_BYTES)
      sealed.set(cipher.update(plaintext))
      cipher.final()
      sealed.set(cipher.getAuthTag(), plaintext.length)
      return sealed
    },
    aesOpen(key: Uint8Array, nonce: Uint8Array, aad: Aad, ciphertext: Uint8Array): Uint8Array {
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

const aes128 = gcm('aes-128-gcm')
const aes256 = gcm('aes-256-gcm')

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

/** The same for one text: into bytes that are there, with the key and nonce that are used once. */
const shortAes: Pick<ShortPrimitives, 'aesSealInto' | 'aesOpen'> = {
  aesSealInto(sealed, { key, nonce, aad }, plaintext) {
    const cipher = crypto.createCipheriv('aes-128-gcm', crypto.createSecretKey(key), nonce)
    cipher.setAAD(aad)
    sealed.set(cipher.update(plaintext))
    cipher.final()
    sealed.set(cipher.getAuthTag(), plaintext.length)
  },
  aesOpen: ({ key, nonce, aad }, sealed) => aes128.aesOpen(key, nonce, aad, sealed),
}

export interface NodeProviderOptions extends Ed25519Options {
  /** For tests: what comes out of the same bytes is the same. */
  randomBytes?: (count: number) => Uint8Array
}

export function makeNodeProvider(options: NodeProviderOptions = {}): MlsProvider {
  const { randomBytes = makeRandomBytes() } = options
  const ed25519 = makeEd25519(options)
  const signing: Pick<MlsProvider, 'sign' | 'verify' | 'generateSigningKey'> = {
    sign: async (secretKey, message) => ed25519.sign(secretKey, message),
    verify: async (publicKey, message, signature) => ed25519.verify(publicKey, message, signature),
    generateSigningKey: async () => generateSigningKey(),
  }
  const cipherSuite: CiphersuiteImpl = {
    name: MLS_SUITE,
    hpke: makeHpke({ hmac, ...aes128, x25519 }),
    kdf: makeKdf({ hmac }),
    rng: { randomBytes },
    signature: {
      sign: signing.sign,
      verify: signing.verify,
      async keygen() {
        const { publicKey, secretKey } = generateSigningKey()
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
    ...signing,
    shortWay: makeShortWay({ hmac, ...shortAes, ...ed25519, randomBytes }),
    aeadSeal: async ({ key, nonce, aad }, plaintext) => aes256.aesSeal(key, nonce, aad, plaintext),
    aeadOpen: async ({ key, nonce, aad }, ciphertext) => aes256.aesOpen(key, nonce, aad, ciphertext),
  }
}
