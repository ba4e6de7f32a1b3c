// The cryptography of files in a browser: WebCrypto for chunks, and noble's running hash, because WebCrypto has none.
import { sha256 } from '@noble/hashes/sha2.js'
import type { ChunkCipher, FileCipher } from './file-cipher.ts'

/** WebCrypto rejects bytes that might be shared memory; ours never are. */
const own = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>

function withKey(raw: Uint8Array): ChunkCipher {
  const key = crypto.subtle.importKey('raw', own(raw), 'AES-GCM', false, ['encrypt', 'decrypt'])
  // The caller that uses the cipher gets the error; an unused cipher must not cause an unhandled rejection.
  key.catch(() => undefined)
  const open = async (nonce: Uint8Array, sealed: Uint8Array): Promise<Uint8Array | undefined> => {
    const opening = await key
    try {
      return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: own(nonce) }, opening, own(sealed)))
    } catch {
      return undefined
    }
  }
  return {
    async seal(nonce, plaintext, into) {
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: own(nonce) }, await key, own(plaintext))
      into.set(new Uint8Array(sealed))
      return sealed.byteLength
    },
    open,
    verify: async (nonce, sealed) => (await open(nonce, sealed)) !== undefined,
  }
}

export const browserFileCipher: FileCipher = {
  sha256: () => {
    const running = sha256.create()
    return { update: bytes => void running.update(bytes), digest: () => running.digest() }
  },
  withKey,
  free: () => undefined,
}
