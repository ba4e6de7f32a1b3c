// The cryptography of files: Node brings its own, and a browser can.

export interface RunningHash {
  update(bytes: Uint8Array): void
  digest(): Uint8Array
}

/** AES-256-GCM under one file's key. A nonce is used for one plaintext only. */
export interface ChunkCipher {
  /** Ciphertext and tag, written into `into`, where the plaintext itself may lie; gives how many bytes they are. */
  seal(nonce: Uint8Array, plaintext: Uint8Array, into: Uint8Array): Promise<number>
  /** Bytes of their own; undefined when the tag does not fit. */
  open(nonce: Uint8Array, sealed: Uint8Array): Promise<Uint8Array | undefined>
  /** Whether `open` would give something. */
  verify(nonce: Uint8Array, sealed: Uint8Array): Promise<boolean>
}

export interface FileCipher {
  sha256(): RunningHash
  withKey(key: Uint8Array): ChunkCipher
  /** Gives back what `open` gave, at once: the collector would come late. */
  free(plaintext: Uint8Array): void
}
