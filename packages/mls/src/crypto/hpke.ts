// HPKE base mode (RFC 9180) and HKDF (RFC 5869) over a provider's primitives: X25519, HMAC-SHA256, AES-128-GCM.
import { concatBytes, utf8 } from '@postern/protocol'
import type { Hpke, Kdf, PrivateKey, PublicKey } from 'ts-mls'
import { KEY_BYTES, NONCE_BYTES, sized } from './provider.ts'

/** A provider's own form of an X25519 key; ts-mls returns it to us unread. */
export interface SecretHandle {
  raw: Uint8Array
  native: unknown
}
export interface PublicHandle {
  raw: Uint8Array
  native: unknown
}

type AesStep = (
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array | undefined,
  bytes: Uint8Array,
) => Uint8Array | Promise<Uint8Array>

export interface HpkePrimitives {
  hmac(key: Uint8Array, message: Uint8Array): Uint8Array
  /** Synchronous where the platform allows it: only WebCrypto is asynchronous. */
  aesSeal: AesStep
  aesOpen: AesStep
  x25519: {
    generate(): SecretHandle
    importSecret(raw: Uint8Array): SecretHandle
    importPublic(raw: Uint8Array): PublicHandle
    publicOf(secret: SecretHandle): PublicHandle
    /** May throw on a point of small order; an all-zero result is refused here in any case. */
    agree(secret: SecretHandle, theirs: PublicHandle): Uint8Array
  }
}

const AES_128_KEY_BYTES = 16
const EMPTY = new Uint8Array(0)

const uint16 = (n: number) => Uint8Array.of(n >> 8, n & 0xff)
const HPKE_V1 = utf8('HPKE-v1')
const KEM_SUITE = concatBytes(utf8('KEM'), uint16(0x0020))
const HPKE_SUITE = concatBytes(utf8('HPKE'), uint16(0x0020), uint16(0x0001), uint16(0x0001))

interface SyncKdf {
  extract(salt: Uint8Array, ikm: Uint8Array): Uint8Array
  expand(prk: Uint8Array, info: Uint8Array, length: number): Uint8Array
}

function makeHkdf(hmac: HpkePrimitives['hmac']): SyncKdf {
  const nextBlock = (prk: Uint8Array, previous: Uint8Array, info: Uint8Array, counter: number) => {
    const input = new Uint8Array(previous.length + info.length + 1)
    input.set(previous)
    input.set(info, previous.length)
    input[input.length - 1] = counter
    return hmac(prk, input)
  }
  return {
    extract: (salt, ikm) => hmac(salt.length === 0 ? new Uint8Array(KEY_BYTES) : salt, ikm),
    expand(prk, info, length) {
      if (length > 255 * KEY_BYTES) throw new RangeError('HKDF cannot expand that far')
      let block = nextBlock(prk, EMPTY, info, 1)
      if (length <= KEY_BYTES) return length === KEY_BYTES ? block : block.slice(0, length)
      const out = new Uint8Array(length)
      for (let offset = 0, counter = 1; ; ) {
        out.set(block.subarray(0, Math.min(KEY_BYTES, length - offset)), offset)
        offset += KEY_BYTES
        if (offset >= length) return out
        counter += 1
        block = nextBlock(prk, block, info, counter)
      }
    },
  }
}

export function makeKdf(primitives: Pick<HpkePrimitives, 'hmac'>): Kdf {
  const hkdf = makeHkdf(primitives.hmac)
  return {
    size: KEY_BYTES,
    extract: async (salt, ikm) => hkdf.extract(salt, ikm),
    expand: async (prk, info, length) => hkdf.expand(prk, info, length),
  }
}

function makeLabeled(hkdf: SyncKdf, suite: Uint8Array) {
  const prefix = concatBytes(HPKE_V1, suite)
  return {
    extract: (salt: Uint8Array, label: string, ikm: Uint8Array) =>
      hkdf.extract(salt, concatBytes(prefix, utf8(label), ikm)),
    expand: (prk: Uint8Array, label: string, info: Uint8Array, length: number) =>
      hkdf.expand(prk, concatBytes(uint16(length), prefix, utf8(label), info), length),
  }
}

/** DHKEM(X25519, HKDF-SHA256): a fresh shared secret for a public key, and the same one for its owner. */
function makeKem({ x25519, hmac }: HpkePrimitives) {
  const labeled = makeLabeled(makeHkdf(hmac), KEM_SUITE)

  function sharedSecret(secret: SecretHandle, theirs: PublicHandle, context: Uint8Array): Uint8Array {
    const dh = x25519.agree(secret, theirs)
    let anyBit = 0
    for (const byte of dh) anyBit |= byte
    // A point of small order gives the same secret to everybody: its sender could read what is sealed.
    if (anyBit === 0) throw new Error('X25519 result is all zero')
    return labeled.expand(labeled.extract(EMPTY, 'eae_prk', dh), 'shared_secret', context, KEY_BYTES)
  }
  return {
    encapsulate(theirs: PublicHandle) {
      const ephemeral = x25519.generate()
      const enc = x25519.publicOf(ephemeral).raw
      return { enc, shared: sharedSecret(ephemeral, theirs, concatBytes(enc, theirs.raw)) }
    },
    decapsulate(secret: SecretHandle, enc: Uint8Array) {
      return sharedSecret(secret, x25519.importPublic(enc), concatBytes(enc, x25519.publicOf(secret).raw))
    },
    deriveSecret(ikm: Uint8Array) {
      return x25519.importSecret(labeled.expand(labeled.extract(EMPTY, 'dkp_prk', ikm), 'sk', EMPTY, KEY_BYTES))
    },
  }
}

/** A shorter info hashes too fast to be worth remembering. */
const SHORT_INFO_BYTES = 2048

/**
 * By the identity of the array, not by its content: ts-mls never changes an array after it was made. A welcome for a
 * thousand members is sealed a thousand times for the same info, which holds the whole tree: hashed each time, the cost
 * would grow with the square of the group.
 */
function onceForEach(hash: (info: Uint8Array) => Uint8Array): (info: Uint8Array) => Uint8Array {
  const known = new WeakMap<Uint8Array, Uint8Array>()
  return info => {
    if (info.length <= SHORT_INFO_BYTES) return hash(info)
    const hashed = known.get(info) ?? hash(info)
    known.set(info, hashed)
    return hashed
  }
}

/** RFC 9180 §5.1, base mode: the keys that follow from a shared secret. */
function makeKeySchedule(hmac: HpkePrimitives['hmac']) {
  const labeled = makeLabeled(makeHkdf(hmac), HPKE_SUITE)
  const pskIdHash = labeled.extract(EMPTY, 'psk_id_hash', EMPTY)
  const hashOf = onceForEach(info => labeled.extract(EMPTY, 'info_hash', info))
  return (shared: Uint8Array, info: Uint8Array) => {
    const context = concatBytes(Uint8Array.of(0), pskIdHash, hashOf(info))
    const secret = labeled.extract(shared, 'secret', EMPTY)
    return {
      key: () => labeled.expand(secret, 'key', context, AES_128_KEY_BYTES),
      nonce: () => labeled.expand(secret, 'base_nonce', context, NONCE_BYTES),
      exported(exporterContext: Uint8Array, length: number) {
        const exporter = labeled.expand(secret, 'exp', context, KEY_BYTES)
        return labeled.expand(exporter, 'sec', exporterContext, length)
      },
    }
  }
}

// ts-mls types keys as WebCrypto's and treats them as opaque; only these four lines know that ours are handles.
const asPrivate = (handle: SecretHandle) => handle as unknown as PrivateKey
const asPublic = (handle: PublicHandle) => handle as unknown as PublicKey
const secretHandle = (key: PrivateKey) => key as unknown as SecretHandle
const publicHandle = (key: PublicKey) => key as unknown as PublicHandle

const checkedKey = (raw: Uint8Array): Uint8Array => sized(raw, KEY_BYTES, 'An X25519 key')

export function makeHpke(primitives: HpkePrimitives): Hpke {
  const { aesSeal, aesOpen, x25519 } = primitives
  const kem = makeKem(primitives)
  const schedule = makeKeySchedule(primitives.hmac)
  const pairOf = (secret: SecretHandle) => ({
    privateKey: asPrivate(secret),
    publicKey: asPublic(x25519.publicOf(secret)),
  })
  return {
    keyLength: AES_128_KEY_BYTES,
    nonceLength: NONCE_BYTES,
    async seal(publicKey, plaintext, info, aad) {
      const { enc, shared } = kem.encapsulate(publicHandle(publicKey))
      const keys = schedule(shared, info)
      return { enc, ct: await aesSeal(keys.key(), keys.nonce(), aad, plaintext) }
    },
    async open(privateKey, enc, ciphertext, info, aad) {
      const keys = schedule(kem.decapsulate(secretHandle(privateKey), checkedKey(enc)), info)
      return await aesOpen(keys.key(), keys.nonce(), aad, ciphertext)
    },
    async exportSecret(publicKey, exporterContext, length, info) {
      const { enc, shared } = kem.encapsulate(publicHandle(publicKey))
      return { enc, secret: schedule(shared, info).exported(exporterContext, length) }
    },
    async importSecret(privateKey, exporterContext, enc, length, info) {
      const shared = kem.decapsulate(secretHandle(privateKey), checkedKey(enc))
      return schedule(shared, info).exported(exporterContext, length)
    },
    importPrivateKey: async raw => asPrivate(x25519.importSecret(checkedKey(raw))),
    importPublicKey: async raw => asPublic(x25519.importPublic(checkedKey(raw))),
    exportPublicKey: async key => publicHandle(key).raw.slice(),
    exportPrivateKey: async key => secretHandle(key).raw.slice(),
    deriveKeyPair: async ikm => pairOf(kem.deriveSecret(ikm)),
    generateKeyPair: async () => pairOf(x25519.generate()),
    encryptAead: async (key, nonce, aad, plaintext) => aesSeal(key, nonce, aad, plaintext),
    decryptAead: async (key, nonce, aad, ciphertext) => aesOpen(key, nonce, aad, ciphertext),
  }
}
