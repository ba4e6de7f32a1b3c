// Cryptography in a browser: WebCrypto for AES and, where the browser has it, Ed25519; noble for the rest. No Node API.
import { x25519 as curve, ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { concatBytes, mlsLimits } from '@postern/protocol'
import type { CiphersuiteImpl } from 'ts-mls'
import { constantTimeEqual } from 'ts-mls/util/constantTimeCompare.js'
import { type HpkePrimitives, makeHpke, makeKdf, type SecretHandle } from './hpke.ts'
import { KEY_BYTES, MLS_SUITE, type MlsProvider, NONCE_BYTES, type SigningKey, sized, TAG_BYTES } from './provider.ts'
import { isStrict } from './strict-signature.ts'

const BLOCK_BYTES = 64
const PKCS8_ED25519 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20)

/** RFC 2104. */
function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key)
  const padded = (pad: number, bytes: Uint8Array) =>
    sha256(
      concatBytes(
        block.map(byte => byte ^ pad),
        bytes,
      ),
    )
  return padded(0x5c, padded(0x36, message))
}

/** WebCrypto does not accept bytes that might be shared memory; ours never are. */
const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>

/** AES-GCM with any key size: 16 bytes for MLS, 32 for ours. */
type Aes = Pick<HpkePrimitives, 'aesSeal' | 'aesOpen'>

/** Fetched only without WebCrypto, which every securely served page has. */
async function nobleAes(): Promise<Aes> {
  const { gcm } = await import('@noble/ciphers/aes.js')
  return {
    aesSeal: (key, nonce, aad, plaintext) => gcm(key, checkedNonce(nonce), aad).encrypt(plaintext),
    aesOpen: (key, nonce, aad, ciphertext) => gcm(key, checkedNonce(nonce), aad).decrypt(ciphertext),
  }
}

/**
 * Several times as fast as noble, even with importing a key for one message; files would block the worker for seconds
 * with noble.
 */
function webCryptoAes(subtle: SubtleCrypto): Aes {
  const imported = (key: Uint8Array, use: 'encrypt' | 'decrypt') =>
    subtle.importKey('raw', own(key), 'AES-GCM', false, [use])
  const algorithm = (nonce: Uint8Array, aad: Uint8Array | undefined): AesGcmParams => ({
    name: 'AES-GCM',
    iv: own(checkedNonce(nonce)),
    tagLength: 8 * TAG_BYTES,
    ...(aad && { additionalData: own(aad) }),
  })
  return {
    async aesSeal(key, nonce, aad, plaintext) {
      const sealing = algorithm(nonce, aad)
      return new Uint8Array(await subtle.encrypt(sealing, await imported(key, 'encrypt'), own(plaintext)))
    },
    async aesOpen(key, nonce, aad, ciphertext) {
      const opening = algorithm(nonce, aad)
      return new Uint8Array(await subtle.decrypt(opening, await imported(key, 'decrypt'), own(ciphertext)))
    },
  }
}

const checkedNonce = (nonce: Uint8Array): Uint8Array => sized(nonce, NONCE_BYTES, 'An AES-GCM nonce')

const x25519: HpkePrimitives['x25519'] = {
  generate: () => ({ raw: curve.utils.randomSecretKey(), native: undefined }),
  importSecret: raw => ({ raw: raw.slice(), native: undefined }),
  importPublic: raw => ({ raw: raw.slice(), native: undefined }),
  publicOf(secret: SecretHandle) {
    secret.native ??= curve.getPublicKey(secret.raw)
    return { raw: secret.native as Uint8Array, native: undefined }
  },
  agree: (secret, theirs) => curve.getSharedSecret(secret.raw, theirs.raw),
}

type Signing = Pick<MlsProvider, 'sign' | 'verify' | 'generateSigningKey'>

const checkedSecret = (secretKey: Uint8Array): Uint8Array => sized(secretKey, KEY_BYTES, 'An Ed25519 secret key')

/**
 * S·B = R + h·A. noble's own `verify` multiplies both sides by 8, and so accepts signatures that OpenSSL and browsers
 * refuse.
 */
function isEquationTrue(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const { Point } = ed25519
  const [r, s] = [signature.subarray(0, KEY_BYTES), signature.subarray(KEY_BYTES)]
  const h = Point.Fn.create(bytesToNumberLE(sha512(concatBytes(r, publicKey, message))))
  const right = Point.fromBytes(r).add(Point.fromBytes(publicKey).multiplyUnsafe(h))
  return right.equals(Point.BASE.multiplyUnsafe(bytesToNumberLE(s)))
}

/** An error of a library counts as a refusal. */
function strictly(verify: Signing['verify']): Signing['verify'] {
  return async (publicKey, message, signature) => {
    try {
      return isStrict(publicKey, signature) && (await verify(publicKey, message, signature))
    } catch {
      return false
    }
  }
}

const nobleSigning: Signing = {
  sign: async (secretKey, message) => ed25519.sign(message, checkedSecret(secretKey)),
  verify: strictly(async (publicKey, message, signature) => isEquationTrue(publicKey, message, signature)),
  async generateSigningKey(): Promise<SigningKey> {
    const secretKey = ed25519.utils.randomSecretKey()
    return { publicKey: ed25519.getPublicKey(secretKey), secretKey }
  },
}

function idOf(raw: Uint8Array): string {
  return String.fromCharCode(...raw)
}

function webCryptoSigning(subtle: SubtleCrypto): Signing {
  const verifyKeys = new Map<string, Promise<CryptoKey>>()
  const signKeys = new WeakMap<Uint8Array, { id: string; key: Promise<CryptoKey> }>()

  function verifyKeyOf(publicKey: Uint8Array): Promise<CryptoKey> {
    const id = idOf(publicKey)
    const kept = verifyKeys.get(id)
    if (kept !== undefined) return kept
    const key = subtle.importKey('raw', own(publicKey), 'Ed25519', false, ['verify'])
    if (verifyKeys.size >= mlsLimits.verifyKeysCachedMax) verifyKeys.clear()
    verifyKeys.set(id, key)
    return key
  }
  function signKeyOf(secretKey: Uint8Array): Promise<CryptoKey> {
    const id = idOf(checkedSecret(secretKey))
    const kept = signKeys.get(secretKey)
    if (kept?.id === id) return kept.key
    const pkcs8 = new Uint8Array(PKCS8_ED25519.length + KEY_BYTES)
    pkcs8.set(PKCS8_ED25519)
    pkcs8.set(secretKey, PKCS8_ED25519.length)
    const key = subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
    signKeys.set(secretKey, { id, key })
    return key
  }
  return {
    ...nobleSigning,
    async sign(secretKey, message) {
      return new Uint8Array(await subtle.sign('Ed25519', await signKeyOf(secretKey), own(message)))
    },
    verify: strictly(async (publicKey, message, signature) =>
      subtle.verify('Ed25519', await verifyKeyOf(publicKey), own(signature), own(message)),
    ),
  }
}

type Aead = Pick<MlsProvider, 'aeadSeal' | 'aeadOpen'>

/** The key's length picks the variant of AES: a short key must not pass for AES-256. */
const checkedKey = (key: Uint8Array): Uint8Array => sized(key, KEY_BYTES, 'An AES-256 key')

function makeAead({ aesSeal, aesOpen }: Aes): Aead {
  return {
    aeadSeal: async ({ key, nonce, aad }, plaintext) => aesSeal(checkedKey(key), nonce, aad, plaintext),
    async aeadOpen({ key, nonce, aad }, ciphertext) {
      if (ciphertext.length < TAG_BYTES) throw new RangeError('Ciphertext is shorter than its tag')
      return await aesOpen(checkedKey(key), nonce, aad, ciphertext)
    },
  }
}

async function hasEd25519(subtle: SubtleCrypto): Promise<boolean> {
  try {
    await subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    return true
  } catch {
    return false
  }
}

/** A page that is not served securely has no WebCrypto, and older browsers have it without Ed25519. */
async function pickParts({ crypto, subtle }: BrowserProviderOptions): Promise<{ signing: Signing; aes: Aes }> {
  const found: SubtleCrypto | undefined = subtle ?? globalThis.crypto.subtle
  if (crypto === 'noble' || found === undefined) return { signing: nobleSigning, aes: await nobleAes() }
  const signing = (await hasEd25519(found)) ? webCryptoSigning(found) : nobleSigning
  return { signing, aes: webCryptoAes(found) }
}

export interface BrowserProviderOptions {
  /** `noble` leaves WebCrypto out; `best` uses the browser's abilities. */
  crypto?: 'best' | 'noble'
  /** For tests of a browser that lacks something. */
  subtle?: SubtleCrypto
}

export async function makeBrowserProvider(options: BrowserProviderOptions = {}): Promise<MlsProvider> {
  const { signing, aes } = await pickParts(options)
  const randomBytes = (count: number) => globalThis.crypto.getRandomValues(new Uint8Array(count))
  const cipherSuite: CiphersuiteImpl = {
    name: MLS_SUITE,
    hpke: makeHpke({ hmac, ...aes, x25519 }),
    kdf: makeKdf({ hmac }),
    rng: { randomBytes },
    signature: {
      sign: signing.sign,
      verify: signing.verify,
      async keygen() {
        const { publicKey, secretKey } = await signing.generateSigningKey()
        return { publicKey, signKey: secretKey }
      },
    },
    hash: {
      digest: async bytes => sha256(bytes),
      mac: async (key, bytes) => hmac(key, bytes),
      verifyMac: async (key, mac, bytes) => constantTimeEqual(hmac(key, bytes), mac),
    },
  }
  const agreementPublicKey = (secretKey: Uint8Array) => curve.getPublicKey(secretKey)
  return {
    cipherSuite,
    fastPath: undefined,
    sha256: bytes => sha256(bytes),
    sha512: bytes => sha512(bytes),
    randomBytes,
    agreementPublicKey,
    ...signing,
    ...makeAead(aes),
  }
}
