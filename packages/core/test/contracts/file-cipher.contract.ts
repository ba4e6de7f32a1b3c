// The contract of every FileCipher: published test vectors, and rejection of forgeries.
import { describe, expect, it } from 'vitest'
import type { FileCipher } from '../../src/files/cipher/file-cipher.ts'

const bytes = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
const hex = (given: Uint8Array): string => Array.from(given, byte => byte.toString(16).padStart(2, '0')).join('')

/** The GCM specification, AES-256: test cases 13 and 14. */
const KEY = new Uint8Array(32)
const NONCE = new Uint8Array(12)
const SEALED_NOTHING = '530f8afbc74536b9a963b4f1c4cb738b'
const SEALED_ZEROS = 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919'

export function describeFileCipher(title: string, cipher: FileCipher): void {
  describe(`file cipher ${title}`, () => {
    it('[CORE-24.1] hashes in pieces as the standard has it', async () => {
      const hash = cipher.sha256()
      hash.update(bytes('61'))
      hash.update(new Uint8Array(0))
      hash.update(bytes('6263'))
      expect(hex(hash.digest())).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    })

    it('[CORE-24.1] seals as the standard has it, into the buffer that is given', async () => {
      const chunks = cipher.withKey(KEY)
      const into = new Uint8Array(100).fill(7)
      expect(await chunks.seal(NONCE, new Uint8Array(16), into)).toBe(32)
      expect(hex(into.subarray(0, 32))).toBe(SEALED_ZEROS)
      expect(into[32]).toBe(7)
      expect(await chunks.seal(NONCE, new Uint8Array(0), into)).toBe(16)
      expect(hex(into.subarray(0, 16))).toBe(SEALED_NOTHING)
    })

    it('[CORE-24.1] opens what was sealed, and nothing else', async () => {
      const chunks = cipher.withKey(KEY)
      const sealed = bytes(SEALED_ZEROS)
      expect(await chunks.open(NONCE, sealed)).toEqual(new Uint8Array(16))
      expect(await chunks.verify(NONCE, sealed)).toBe(true)
      expect(await chunks.open(NONCE, bytes(SEALED_NOTHING))).toEqual(new Uint8Array(0))
      const turned = sealed.slice()
      turned[3] = (turned[3] ?? 0) ^ 1
      for (const forged of [turned, sealed.subarray(1), sealed.subarray(0, 15), new Uint8Array(0)]) {
        expect(await chunks.open(NONCE, forged)).toBeUndefined()
        expect(await chunks.verify(NONCE, forged)).toBe(false)
      }
      expect(await chunks.verify(new Uint8Array(12).fill(1), sealed)).toBe(false)
      expect(await cipher.withKey(new Uint8Array(32).fill(1)).verify(NONCE, sealed)).toBe(false)
    })

    it('[CORE-24.1] seals and opens chunks at the same time, each its own', async () => {
      const chunks = cipher.withKey(KEY)
      const nonces = Array.from({ length: 8 }, (_, at) => new Uint8Array(12).fill(at))
      const opened = await Promise.all(
        nonces.map(async (nonce, at) => {
          const into = new Uint8Array(5000 + 16)
          await chunks.seal(nonce, new Uint8Array(5000).fill(at), into)
          const plain = await chunks.open(nonce, into)
          const isOwn = plain?.length === 5000 && plain.every(byte => byte === at)
          if (plain) cipher.free(plain)
          return isOwn
        }),
      )
      expect(opened).toEqual(nonces.map(() => true))
    })
  })
}
