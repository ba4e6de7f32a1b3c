// Downloads: shared, resumed, and only ever the bytes that were sent.
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ManualClock, passTime } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { BlobWire, breakingOff } from './blob-wire.ts'
import { testWithFile } from './files-fixtures.ts'
import {
  CHUNK,
  coded,
  fetched,
  filesOf,
  LONG,
  randomFile,
  relayFiles,
  share,
  vaultFiles,
  wholeOf,
} from './files-world.ts'

const SIZE = 2 * CHUNK + 5000

const test = testWithFile.extend(
  'blobFile',
  ({ world }) =>
    (): string =>
      relayFiles(world)[0] as string,
)

describe('what the relay gives', () => {
  test.for([
    ['a bit is turned', (blob: Buffer) => blob.with(0, 1)],
    ['a bit of the last chunk is turned', (blob: Buffer) => blob.with(blob.length - 1, (blob.at(-1) ?? 0) ^ 1)],
    [
      'chunks are swapped',
      (blob: Buffer) => {
        const at = CHUNK + 16
        return Buffer.concat([blob.subarray(at, 2 * at), blob.subarray(0, at), blob.subarray(2 * at)])
      },
    ],
  ] as const)('[CORE-13.9] %s: damaged, and nothing is kept', async ([, change], { bob, blobFile, open, isWhole }) => {
    const blob = readFileSync(blobFile())
    writeFileSync(blobFile(), change(blob))
    await expect(open()).rejects.toSatisfy(coded('file-damaged'))
    expect(vaultFiles(bob)).toEqual([])
    writeFileSync(blobFile(), blob)
    expect(await isWhole()).toBe(true)
  })

  test('[CORE-13.9] longer or shorter than it should be: damaged before any of it is fetched', async ({
    bob,
    wire,
    open,
  }) => {
    for (const total of [0, SIZE + 47, SIZE + 49]) {
      wire.changeDownload = download => ({ ...download, total })
      await expect(open()).rejects.toSatisfy(coded('file-damaged'))
    }
    wire.changeDownload = download => ({ ...download, body: longer(download.body) })
    await expect(open()).rejects.toSatisfy(coded('file-damaged'))
    expect(vaultFiles(bob)).toEqual([])
  })

  test('[CORE-13.9] a file that a member with the key has put in its place is not taken for it', async ({
    open,
    stored,
    isWhole,
  }) => {
    const digest = randomFile(32)
    await expect(open({ ...stored, digest })).rejects.toSatisfy(coded('file-damaged'))
    expect(await isWhole()).toBe(true)
    // A file kept for one message is not returned for another that names other bytes.
    await expect(open({ ...stored, digest })).rejects.toSatisfy(coded('file-damaged'))
  })

  test('[CORE-13.9] a message with a wrong key or size has no file', async ({ bob, open, stored }) => {
    await expect(open({ ...stored, key: randomFile(32) })).rejects.toSatisfy(coded('file-damaged'))
    await expect(open({ ...stored, size: SIZE - 1 })).rejects.toSatisfy(coded('file-damaged'))
    expect(vaultFiles(bob)).toEqual([])
  })

  test('[CORE-13.9] deleted: gone', async ({ alice, bob, stored, open }) => {
    await alice.client['core'].link.call('deleteBlob', { blob: stored.blob })
    await expect(open()).rejects.toSatisfy(coded('file-gone'))
    expect(vaultFiles(bob)).toEqual([])
  })

  test('[CORE-13.9] its bytes lost at the relay: gone', async ({ blobFile, open }) => {
    unlinkSync(blobFile())
    await expect(open()).rejects.toSatisfy(coded('file-gone'))
  })

  // The real time: by its clock, the relay judges whether the others' certificates are still valid.
  const testInRelayTime = test.extend('worldOptions', ({ relayClock }) => ({
    relayClock,
    relayLimits: { sweepEveryMs: 1000 },
  }))

  testInRelayTime(
    '[CORE-13.9] expired: gone, but for those who have it',
    async ({ world, carol, relayClock, bytes }) => {
      const [dave, erin] = [await world.person('dave'), await world.person('erin')]
      const old = await share(carol, bytes)
      expect(Buffer.compare(await fetched(dave, old), bytes)).toBe(0)
      relayClock.advance(31 * 86_400_000)
      for (; relayFiles(world).length > 0; await nextTurn()) relayClock.advance(1000)
      await expect(filesOf(erin).open(old, LONG)).rejects.toSatisfy(coded('file-gone'))
      expect(Buffer.compare(await fetched(dave, old), bytes)).toBe(0)
    },
  )
})

describe('a connection that is lost', () => {
  test('[CORE-13.10] the download goes on where it was', async ({ wire, isWhole }) => {
    let breaks = 0
    wire.changeDownload = download =>
      breaks++ < 4 ? { ...download, body: breakingOff(download.body, 100_001) } : download
    expect(await isWhole()).toBe(true)
    expect(wire.from).toEqual([0, 100_001, 200_002, 300_003, 400_004])
  })

  test('[CORE-13.10] from the beginning, where ranges are not known', async ({ wire, blobFile, isWhole }) => {
    let breaks = 0
    wire.changeDownload = async download => {
      if (breaks++ === 0) return { ...download, body: breakingOff(download.body, 300_000) }
      const whole = readFileSync(blobFile())
      return {
        start: 0,
        total: whole.length,
        body: (async function* () {
          yield whole
        })(),
      }
    }
    expect(await isWhole()).toBe(true)
    expect(wire.downloads).toBe(2)
  })

  test('[CORE-13.10] where the length of the whole is not told, too', async ({ wire, isWhole }) => {
    wire.changeDownload = download => ({ ...download, total: undefined })
    expect(await isWhole()).toBe(true)
  })

  test('[CORE-13.10] and not for ever, where it always ends too early', async ({ world, stored }) => {
    const clock = new ManualClock()
    const short = new BlobWire()
    const carol = await world.person('carol', { clock, connectBlobs: short.connect })
    short.changeDownload = download => ({ ...download, body: (async function* () {})() })
    await expect(passTime(clock, filesOf(carol).open(stored, { timeoutMs: 1e9 }))).rejects.toSatisfy(
      coded('relay-unreachable'),
    )
    expect(short.downloads).toBeLessThan(20)
    expect(vaultFiles(carol)).toEqual([])
  })

  test('[CORE-13.10] also over a restart of the relay', async ({ world, open, bytes }) => {
    await world.stopRelay()
    const opening = open()
    await world.startRelay()
    expect(Buffer.compare(await wholeOf((await opening).read()), bytes)).toBe(0)
  })

  test('[CORE-13.17] a relay that gives nothing for the time given is out of reach; one that is slow is not', async ({
    world,
    stored,
    bytes,
  }) => {
    const clock = new ManualClock()
    const slow = new BlobWire()
    const carol = await world.person('carol', { clock, connectBlobs: slow.connect })
    slow.isCut = true
    await expect(passTime(clock, filesOf(carol).open(stored, { timeoutMs: 5000 }))).rejects.toSatisfy(
      coded('relay-unreachable'),
    )
    slow.isCut = false
    await expect.poll(() => vaultFiles(carol)).toEqual([])
    // Each piece takes four seconds, the whole of it longer than five, in any number of pieces.
    const ready: (() => void)[] = []
    slow.changeDownload = download => ({
      ...download,
      body: (async function* () {
        for await (const piece of download.body) {
          await new Promise<void>(resolve => ready.push(resolve))
          yield piece
        }
      })(),
    })
    const startMs = clock.nowMs()
    const state = { isOpen: false }
    const opening = filesOf(carol)
      .open(stored, { timeoutMs: 5000 })
      .finally(() => {
        state.isOpen = true
      })
    for (; !state.isOpen; await nextTurn()) {
      const give = ready.shift()
      if (give) clock.advance(4000)
      give?.()
    }
    expect(clock.nowMs() - startMs).toBeGreaterThan(5_000)
    expect(Buffer.compare(await wholeOf((await opening).read()), bytes)).toBe(0)
  })
})

describe('many readers', () => {
  test('[CORE-13.11] those who open it at the same time fetch it once', async ({ bob, open, wire, bytes, isWhole }) => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => open()))
    expect(wire.downloads).toBe(1)
    const read = await Promise.all(opened.map(file => wholeOf(file.read())))
    for (const whole of read) expect(Buffer.compare(whole, bytes)).toBe(0)
    expect(await isWhole()).toBe(true)
    expect(wire.downloads).toBe(1)
    expect(vaultFiles(bob)).toHaveLength(1)
  })

  test('[CORE-13.11] when nobody waits for it any more it is let go', async ({ world, stored, bytes }) => {
    const clock = new ManualClock()
    const stuck = new BlobWire()
    const carol = await world.person('carol', { clock, connectBlobs: stuck.connect })
    stuck.changeDownload = download => ({ ...download, body: hanging(download.body) })
    const both = Promise.allSettled([
      filesOf(carol).open(stored, { timeoutMs: 3000 }),
      filesOf(carol).open(stored, { timeoutMs: 5000 }),
    ])
    await expect.poll(() => stuck.downloads).toBe(1)
    const outcomes = await passTime(clock, both)
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'relay-unreachable' } })
    await expect.poll(() => vaultFiles(carol)).toEqual([])
    stuck.changeDownload = download => download
    const again = await filesOf(carol).open(stored, LONG)
    expect(Buffer.compare(await wholeOf(again.read()), bytes)).toBe(0)
    expect(stuck.downloads).toBe(2)
  })

  test('[CORE-13.11] who stops waiting leaves at once: others go on, and with the last the fetch ends', async ({
    bob,
    wire,
    stored,
    bytes,
  }) => {
    const held = Promise.withResolvers<void>()
    wire.changeDownload = async download => {
      await held.promise
      return download
    }
    const [one, other] = [new AbortController(), new AbortController()]
    const leaving = filesOf(bob).open(stored, { ...LONG, signal: one.signal })
    const staying = filesOf(bob).open(stored, { ...LONG, signal: other.signal })
    one.abort(new Error('enough'))
    await expect(leaving).rejects.toThrow('enough')
    held.resolve()
    const opened = await staying
    expect(Buffer.compare(await wholeOf(opened.read()), bytes)).toBe(0)
    expect(wire.downloads).toBe(1)

    unlinkSync(vaultFiles(bob)[0] as string)
    wire.changeDownload = download => ({ ...download, body: hanging(download.body) })
    const reading = wholeOf(opened.read())
    reading.catch(() => undefined)
    await expect.poll(() => vaultFiles(bob).length).toBe(1)
    other.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    await expect.poll(() => vaultFiles(bob)).toEqual([])
    await expect(filesOf(bob).open(stored, { ...LONG, signal: other.signal })).rejects.toThrow('enough')
    expect(wire.downloads).toBe(2)
  })

  test('[CORE-13.18] stopping ends a download, and leaves no spool', async ({ world, bob, wire, open }) => {
    wire.changeDownload = download => ({ ...download, body: hanging(download.body) })
    const opening = open()
    opening.catch(() => undefined)
    await expect.poll(() => vaultFiles(bob).length).toBe(1)
    await world.close(bob)
    await expect(opening).rejects.toSatisfy(coded('stopping'))
    expect(vaultFiles(bob)).toEqual([])
  })
})

async function* longer(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* body
  yield new Uint8Array(1)
}

/** One piece, and then nothing forever. */
async function* hanging(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const piece of body) {
    yield piece
    await new Promise(() => {})
  }
}
