// The cryptography of files, with one implementation for Node and one for browsers.

export interface RunningHash {
  update(bytes: Uint8Array): void
  digest(): Uint8Array
}

/** AES-256-GCM under one file's key. A nonce is used for one plaintext only. */
export interface ChunkCipher {
  /** Writes ciphertext and tag into `into`, which may hold the plaintext itself. Returns their length. */
  seal(nonce: Uint8Array, plaintext: Uint8Array, into: Uint8Array): Promise<number>
  /** A new array; undefined when the tag does not match. */
  open(nonce: Uint8Array, sealed: Uint8Array): Promise<Uint8Array | undefined>
  /** Whether `open` would succeed. */
  verify(nonce: Uint8Array, sealed: Uint8Array): Promise<boolean>
}

export interface FileCipher {
  sha256(): RunningHash
  withKey(key: Uint8Array): ChunkCipher
  /** Frees the result of `open` immediately: the garbage collector would be late. */
  free(plaintext: Uint8Array): void
}
