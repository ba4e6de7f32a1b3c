// Ed25519 in Node: with libsodium where it is faster and can be loaded, otherwise with node:crypto. Both give the same answers.
import crypto, { type KeyObject } from 'node:crypto'
import { createRequire } from 'node:module'
import { copyBytes, type Log, mlsLimits, silentLog } from '@postern/protocol'
import { bufferOf, ownBytes, publicKeyObject, rawPublic, rawSecret, secretKeyObject } from './key-objects-node.ts'
import { KEY_BYTES, SIGNATURE_BYTES, type SigningKey, sized } from './provider.ts'
import { isStrict } from './strict-signature.ts'

export interface Ed25519 {
  sign(secretKey: Uint8Array, message: Uint8Array): Uint8Array
  /** False for a key or a signature of the wrong size or form; never throws on hostile input. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
}

/** The functions of libsodium that we call. They check no sizes: we do. */
export interface Sodium {
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void
  /** Each as a buffer, an offset in it, and a length: signature, message, public key. */
  crypto_sign_verify_detached(...pieces: [...Piece, ...Piece, ...Piece]): boolean
}
type Piece = [buffer: ArrayBufferLike, at: number, bytes: number]

export interface Ed25519Options {
  log?: Log
  /** For tests: another machine, and one on which libsodium cannot be loaded. */
  architecture?: string
  loadSodium?: () => Sodium
}

/**
 * There its arithmetic, in limbs of 51 bits, takes about half the time of OpenSSL's. On 64-bit ARM it takes up to 40 %
 * more.
 */
const QUICK_ON = 'x64'
const SODIUM_SECRET_BYTES = KEY_BYTES + KEY_BYTES

/** The binary itself: the package's own loader searches folders and checks each call, for 20 ms and 2 MB more. */
const requireSodium = (): Sodium =>
  // oxlint-disable-next-line typescript/no-unsafe-return -- it brings no types along
  createRequire(import.meta.url)(`sodium-native/prebuilds/${process.platform}-${process.arch}/sodium-native.node`)

/** Loaded by the first signature: a process that never signs does not pay for its memory. */
export function makeEd25519(options: Ed25519Options = {}): Ed25519 {
  let chosen: Ed25519 | undefined
  const library = (): Ed25519 => {
    chosen ??= choose(options)
    return chosen
  }
  return {
    sign: (secretKey, message) => library().sign(secretKey, message),
    verify: (publicKey, message, signature) =>
      isStrict(publicKey, signature) && library().verify(publicKey, message, signature),
  }
}

function choose({ log = silentLog, architecture = process.arch, loadSodium = requireSodium }: Ed25519Options): Ed25519 {
  if (architecture !== QUICK_ON) return byNode()
  try {
    return bySodium(loadSodium())
  } catch (error) {
    log.debug({ error }, 'libsodium unavailable; using node:crypto, which is slower')
    return byNode()
  }
}

function bySodium(sodium: Sodium): Ed25519 {
  const keys = new SecretKeys(seed => {
    const secret = new Uint8Array(SODIUM_SECRET_BYTES)
    sodium.crypto_sign_seed_keypair(new Uint8Array(KEY_BYTES), secret, seed)
    return secret
  })
  return {
    sign(secretKey, message) {
      const signature = new Uint8Array(SIGNATURE_BYTES)
      sodium.crypto_sign_detached(signature, message, keys.get(secretKey))
      return signature
    },
    verify: (publicKey, message, signature) =>
      sodium.crypto_sign_verify_detached(...piece(signature), ...piece(message), ...piece(publicKey)),
  }
}

const piece = ({ buffer, byteOffset, byteLength }: Uint8Array): Piece => [buffer, byteOffset, byteLength]

function byNode(): Ed25519 {
  const secretKeys = new SecretKeys(secretKey => secretKeyObject('Ed25519', secretKey))
  const publicKeys = new PublicKeys()
  return {
    sign: (secretKey, message) => ownBytes(crypto.sign(null, message, secretKeys.get(secretKey))),
    verify: (publicKey, message, signature) => crypto.verify(null, message, publicKeys.get(publicKey), signature),
  }
}

export function generateSigningKey(): SigningKey {
  const { privateKey, publicKey } = crypto.generateKeyPairSync('ed25519')
  return { publicKey: rawPublic(publicKey), secretKey: rawSecret(privateKey) }
}

/** Kept with the bytes that they came from: a key goes when the caller drops the secret. */
class SecretKeys<Key> {
  readonly #make: (secretKey: Uint8Array) => Key
  readonly #keys = new WeakMap<Uint8Array, { raw: Uint8Array; key: Key }>()

  constructor(make: (secretKey: Uint8Array) => Key) {
    this.#make = make
  }

  get(secretKey: Uint8Array): Key {
    const kept = this.#keys.get(secretKey)
    if (kept !== undefined && Buffer.compare(kept.raw, secretKey) === 0) return kept.key
    sized(secretKey, KEY_BYTES, 'An Ed25519 secret key')
    const key = this.#make(secretKey)
    this.#keys.set(secretKey, { raw: copyBytes(secretKey), key })
    return key
  }
}

/** The least recently used entry is dropped: a stranger's flood of keys must not fill the memory. */
class PublicKeys {
  readonly #keys = new Map<string, KeyObject>()

  get(raw: Uint8Array): KeyObject {
    const id = bufferOf(raw).toString('latin1')
    const kept = this.#keys.get(id)
    if (kept !== undefined) this.#keys.delete(id)
    const key = kept ?? publicKeyObject('Ed25519', raw)
    this.#keys.set(id, key)
    if (this.#keys.size > mlsLimits.verifyKeysCachedMax) this.#keys.delete(this.#keys.keys().next().value as string)
    return key
  }
}
