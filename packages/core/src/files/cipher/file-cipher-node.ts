// The cryptography of files in Node: synchronous, because a chunk takes a tenth of a millisecond.
import { createCipheriv, createDecipheriv, createHash, createSecretKey } from 'node:crypto'
import { TAG_BYTES } from '@postern/mls'
import { freeBytes } from '@postern/protocol'
import type { ChunkCipher, FileCipher, RunningHash } from './file-cipher.ts'

const CIPHER = 'aes-256-gcm'
const TAG_LENGTH = { authTagLength: TAG_BYTES }

function hash(): RunningHash {
  const running = createHash('sha256')
  return {
    update: bytes => void running.update(bytes),
    digest: () => new Uint8Array(running.digest()),
  }
}

function withKey(raw: Uint8Array): ChunkCipher {
  const key = createSecretKey(raw)
  const open = (nonce: Uint8Array, sealed: Uint8Array): Buffer | undefined => {
    const tagAt = sealed.length - TAG_BYTES
    if (tagAt < 0) return undefined
    const decipher = createDecipheriv(CIPHER, key, nonce, TAG_LENGTH)
    decipher.setAuthTag(sealed.subarray(tagAt))
    const plaintext = decipher.update(sealed.subarray(0, tagAt))
    try {
      decipher.final()
      return plaintext
    } catch {
      return undefined
    }
  }
  return {
    async seal(nonce, plaintext, into) {
      const cipher = createCipheriv(CIPHER, key, nonce, TAG_LENGTH)
      const sealed = cipher.update(plaintext)
      into.set(sealed)
      freeBytes(sealed)
      cipher.final()
      into.set(cipher.getAuthTag(), plaintext.length)
      return plaintext.length + TAG_BYTES
    },
    async open(nonce, sealed) {
      const plaintext = open(nonce, sealed)
      return plaintext && new Uint8Array(plaintext.buffer, plaintext.byteOffset, plaintext.byteLength)
    },
    async verify(nonce, sealed) {
      const plaintext = open(nonce, sealed)
      if (!plaintext) return false
      freeBytes(plaintext)
      return true
    },
  }
}

export const nodeFileCipher: FileCipher = { sha256: hash, withKey, free: freeBytes }
