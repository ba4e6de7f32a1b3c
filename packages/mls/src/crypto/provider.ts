// The one interface through which core does cryptography: Node and the browser each have an implementation.
import type { CiphersuiteImpl, ClientState, PrivateMessage } from 'ts-mls'

export const MLS_SUITE = 'MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519'

/** An Ed25519 key pair, both halves raw. */
export interface SigningKey {
  publicKey: Uint8Array
  secretKey: Uint8Array
}

/** The key and nonce that seal one AES-256-GCM text. A nonce must never be used twice with a key. */
export interface AeadKey {
  key: Uint8Array
  nonce: Uint8Array
  aad?: Uint8Array
}

export interface MlsProvider {
  /** The primitives of suite 1 in the shape that ts-mls needs. */
  readonly cipherSuite: CiphersuiteImpl
  /** The fast path for usual texts; undefined if the platform is asynchronous at every step. */
  readonly fastPath: FastPath | undefined
  sha256(bytes: Uint8Array): Uint8Array
  sha512(bytes: Uint8Array): Uint8Array
  randomBytes(count: number): Uint8Array
  /** The X25519 public key of a secret one. */
  agreementPublicKey(secretKey: Uint8Array): Uint8Array
  sign(secretKey: Uint8Array, message: Uint8Array): Promise<Uint8Array>
  /** False for a key or a signature of the wrong size; never throws on hostile input. */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>
  generateSigningKey(): Promise<SigningKey>
  /** Ciphertext followed by the 16-byte tag. */
  aeadSeal(seal: AeadKey, plaintext: Uint8Array): Promise<Uint8Array>
  /** Throws if the tag does not fit. */
  aeadOpen(seal: AeadKey, ciphertext: Uint8Array): Promise<Uint8Array>
}

/** Synchronous cryptography for the fast path of a text. */
export interface FastPathPrimitives {
  hmac(key: Uint8Array, message: Uint8Array): Uint8Array
  /** AES-128-GCM, into bytes with space for the tag. */
  aesSealInto(sealed: Uint8Array, seal: TextSeal, plaintext: Uint8Array): void
  /** Throws if the tag does not fit. */
  aesOpen(seal: TextSeal, sealed: Uint8Array): Uint8Array
  sign(secretKey: Uint8Array, message: Uint8Array): Uint8Array
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
  randomBytes(count: number): Uint8Array
}

/** The values that seal one AES-128-GCM text, used once. */
export interface TextSeal {
  key: Uint8Array
  nonce: Uint8Array
  aad: Uint8Array
}

export interface FastPath {
  /** Undefined if ts-mls must do it. */
  seal(state: ClientState, text: Uint8Array): { state: ClientState; wire: Uint8Array } | undefined
  /** Opens a message that names this group and epoch. Undefined if ts-mls must check it: out of order, or wrong. */
  open(state: ClientState, message: PrivateMessage): OpenedText | undefined
}

export interface OpenedText {
  state: ClientState
  text: Uint8Array
  senderLeaf: number
}

export const KEY_BYTES = 32
export const SIGNATURE_BYTES = 64
export const NONCE_BYTES = 12
export const TAG_BYTES = 16

/** A library accepts other sizes for other ciphers, or checks none. */
export function sized(bytes: Uint8Array, count: number, what: string): Uint8Array {
  if (bytes.length !== count) throw new RangeError(`${what} has ${count} bytes`)
  return bytes
}
