// Files over a real relay: the same bytes come out, whole and in part, and nobody outside can read them.
import { readFileSync, statSync } from 'node:fs'
import { test } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { nodeFileCipher } from '../src/files/cipher/file-cipher-node.ts'
import { chunkNonce, chunksOf, SEALED_CHUNK_BYTES, sealedLength } from '../src/files/cipher/file-format.ts'
import {
  CHUNK,
  coded,
  fetched,
  filesOf,
  LONG,
  piecesOf,
  randomFile,
  relayFiles,
  sha256,
  share,
  vaultFiles,
  wholeOf,
} from './files-world.ts'

describe('there and back', () => {
  test.for([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, 3_333_333])(
    '[CORE-13.1] %i bytes',
    async (size, { world, alice, bob }) => {
      const bytes = randomFile(size)
      const spool = await filesOf(alice).spool(piecesOf(bytes), { uploads: 'now' })
      expect([spool.size, await spool.plainDigest()]).toEqual([size, sha256(bytes)])
      expect(Buffer.compare(await wholeOf(spool.read()), bytes)).toBe(0)
      const stored = await spool.uploaded()
      expect(Buffer.compare(await wholeOf(spool.read()), bytes)).toBe(0)
      expect(statSync(relayFiles(world)[0] as string).size).toBe(sealedLength(size))
      expect(Buffer.compare(await fetched(bob, stored), bytes)).toBe(0)
      expect(Buffer.compare(await fetched(alice, stored), bytes)).toBe(0)
      await spool.release()
    },
  )

  test('[CORE-13.1] with a bound known beforehand, or when it is asked for', async ({ alice, bob }) => {
    const bytes = randomFile(900_000)
    for (const options of [{ bytesHint: 900_000 }, { bytesHint: 2_000_000 }, { bytesHint: 9e9 }]) {
      const spool = await filesOf(alice).spool(piecesOf(bytes), { ...options, uploads: 'now' })
      expect(Buffer.compare(await fetched(bob, await spool.uploaded()), bytes)).toBe(0)
      await spool.release()
    }
  })

  test('[CORE-13.19] what is to be uploaded later is uploaded when somebody asks for it', async ({
    world,
    alice,
    bob,
  }) => {
    const bytes = randomFile(900_000)
    const spool = await filesOf(alice).spool(piecesOf(bytes), { uploads: 'later' })
    expect(Buffer.compare(await wholeOf(spool.read()), bytes)).toBe(0)
    expect(relayFiles(world)).toEqual([])
    expect(Buffer.compare(await fetched(bob, await spool.uploaded()), bytes)).toBe(0)
    await spool.release()
  })

  test('[CORE-13.1] the disk and the relay see ciphertext only, in files for nobody else', async ({
    world,
    alice,
    bob,
  }) => {
    const secret = Buffer.from('nobody but the members of the chat may read this. '.repeat(20_000))
    const stored = await share(alice, secret)
    await fetched(bob, stored)
    const files = [...vaultFiles(alice), ...vaultFiles(bob), ...relayFiles(world)]
    expect(files).toHaveLength(3)
    for (const file of files) {
      expect(readFileSync(file).includes('nobody but')).toBe(false)
      expect(readFileSync(file).includes(Buffer.from(stored.key))).toBe(false)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
  })
})

describe('a part of a file', () => {
  const size = 2 * CHUNK + 1000
  const edges = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, size - 2, size - 1]

  test('[CORE-13.2] every range is exactly its bytes, in pieces that are kept and in brief ones', async ({
    alice,
    bob,
  }) => {
    const bytes = randomFile(size)
    const file = await filesOf(bob).open(await share(alice, bytes), LONG)
    for (const start of edges) {
      for (const end of edges.filter(end => end >= start)) {
        const wanted = bytes.subarray(start, end + 1)
        expect(Buffer.compare(await wholeOf(file.read({ start, end })), wanted)).toBe(0)
        const brief: Buffer[] = []
        for await (const piece of file.readBriefly({ start, end })) brief.push(Buffer.from(piece))
        expect(Buffer.compare(Buffer.concat(brief), wanted)).toBe(0)
      }
    }
  })

  test('[CORE-13.2] a range outside the file is refused', async ({ alice, bob }) => {
    const file = await filesOf(bob).open(await share(alice, randomFile(10)), LONG)
    for (const range of [
      { start: 10, end: 10 },
      { start: -1, end: 3 },
      { start: 5, end: 4 },
    ])
      await expect(wholeOf(file.read(range))).rejects.toSatisfy(coded('bad-field'))
  })

  test('[CORE-13.2] a reader that stops early leaves nothing open', async ({ alice, bob }) => {
    const file = await filesOf(bob).open(await share(alice, randomFile(size)), LONG)
    for (let round = 0; round < 50; round++) for await (const piece of file.read()) if (piece.length > 0) break
    expect(readFileSync(vaultFiles(bob)[0] as string)).toHaveLength(sealedLength(size))
  })
})

describe('the format', () => {
  const key = randomFile(32)
  const cipher = nodeFileCipher.withKey(key)
  const size = 2 * CHUNK + 7
  const whole = { start: 0, end: size - 1 }

  async function seal(bytes: Uint8Array): Promise<Uint8Array[]> {
    const sealed: Uint8Array[] = []
    for (const { nonce, sealedAt, sealedBytes } of chunksOf(bytes.length, { start: 0, end: bytes.length - 1 })) {
      const into = new Uint8Array(sealedBytes)
      const plainAt = (sealedAt / SEALED_CHUNK_BYTES) * CHUNK
      await cipher.seal(nonce, bytes.subarray(plainAt, plainAt + sealedBytes - 16), into)
      sealed.push(into)
    }
    return sealed
  }

  test('[CORE-13.3] a chunk opens only in its place, and the last one only as the last', async () => {
    const sealed = await seal(randomFile(size))
    const places = [...chunksOf(size, whole)]
    for (const [at, chunk] of sealed.entries())
      for (const [place, { nonce }] of places.entries()) expect(await cipher.verify(nonce, chunk)).toBe(at === place)
    // Cut off after a chunk, or with one more after it, another chunk would be the last.
    const shorter = [...chunksOf(2 * CHUNK, { start: 0, end: 2 * CHUNK - 1 })]
    expect(await cipher.verify(shorter[1]?.nonce as Uint8Array, sealed[1] as Uint8Array)).toBe(false)
    const longer = [...chunksOf(3 * CHUNK + 1, { start: 0, end: 3 * CHUNK })]
    expect(await cipher.verify(longer[2]?.nonce as Uint8Array, sealed[2] as Uint8Array)).toBe(false)
  })

  test('[CORE-13.3] every bit counts, and so does the key', async () => {
    const [chunk] = await seal(randomFile(40))
    const nonce = chunkNonce(0, { isLast: true })
    const sealed = chunk as Uint8Array
    expect(await cipher.open(nonce, sealed)).toHaveLength(40)
    for (let at = 0; at < sealed.length; at++) {
      const bent = Uint8Array.from(sealed)
      bent[at] = (bent[at] ?? 0) ^ 1
      expect(await cipher.open(nonce, bent)).toBeUndefined()
    }
    expect(await cipher.open(nonce, sealed.subarray(0, 55))).toBeUndefined()
    expect(await cipher.open(nonce, new Uint8Array(3))).toBeUndefined()
    expect(await nodeFileCipher.withKey(randomFile(32)).open(nonce, sealed)).toBeUndefined()
  })

  test('[CORE-13.3] nonces are the number of the chunk and whether it is the last', () => {
    const nonces = [...chunksOf(258 * CHUNK, { start: 255 * CHUNK, end: 258 * CHUNK - 1 })].map(({ nonce }) => [
      ...nonce,
    ])
    expect(nonces).toEqual([
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1],
    ])
    expect([0, 1, CHUNK, CHUNK + 1].map(sealedLength)).toEqual([16, 17, CHUNK + 16, CHUNK + 33])
  })
})
