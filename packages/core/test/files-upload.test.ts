// Uploads that fail on either side: they resume where they were, or leave nothing behind.
import { statSync } from 'node:fs'
import { CodedError, clientLimits, contentLimits } from '@postern/protocol'
import { ManualClock, passTime } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { breakingOff } from './blob-wire.ts'
import { test } from './files-fixtures.ts'
import {
  atRelay,
  CHUNK,
  coded,
  fedSource,
  fetched,
  filesOf,
  left,
  NOTHING,
  nothingLeft,
  piecesOf,
  randomFile,
  relayFiles,
  uploadRows,
  vaultFiles,
} from './files-world.ts'

describe('a source that fails', () => {
  test('[CORE-13.5] leaves nothing, here and at the relay', async ({ world, personWith }) => {
    const alice = await personWith()
    const { source, feed, fail } = fedSource()
    const taking = filesOf(alice).spool(source, { uploads: 'now' })
    feed(randomFile(5 * CHUNK))
    await atRelay(world)
    expect(uploadRows(alice)).toHaveLength(1)
    fail(new Error('the line was cut'))
    await expect(taking).rejects.toThrow('the line was cut')
    expect(vaultFiles(alice)).toEqual([])
    await nothingLeft(world, alice)
  })

  test('[CORE-13.5] at once, at the first chunk and before any', async ({ world, personWith }) => {
    const alice = await personWith()
    for (const bytes of [0, 10, CHUNK]) {
      const { source, feed, fail } = fedSource()
      if (bytes > 0) feed(randomFile(bytes))
      fail(new Error('cut'))
      await expect(filesOf(alice).spool(source, { uploads: 'now' })).rejects.toThrow('cut')
    }
    expect(left(world, alice)).toEqual(NOTHING)
  })

  test('[CORE-13.4] one byte too many is refused as soon as it comes', async ({ world, personWith }) => {
    const alice = await personWith()
    const piece = randomFile(4 * CHUNK)
    let given = 0
    async function* endless() {
      for (;;) {
        given += piece.length
        yield piece
      }
    }
    const taking = filesOf(alice).spool(endless(), { bytesHint: 16 * CHUNK, uploads: 'now' })
    await expect(taking).rejects.toSatisfy(coded('too-large'))
    expect(given).toBe(20 * CHUNK)
    await nothingLeft(world, alice)
    const exact = await filesOf(alice).spool(piecesOf(piece), { bytesHint: piece.length, uploads: 'now' })
    await exact.uploaded()
    await exact.release()
    await nothingLeft(world, alice)
  })

  test('[CORE-13.4] the limit of all files holds whatever is announced', async ({ world, personWith }) => {
    const alice = await personWith()
    const piece = randomFile(4 * 1024 * 1024)
    async function* endless() {
      for (;;) yield piece
    }
    const taking = filesOf(alice).spool(endless(), { bytesHint: 9e9, uploads: 'later' })
    await expect(taking).rejects.toMatchObject({ code: 'too-large', details: { max: contentLimits.fileBytesMax } })
    expect(left(world, alice)).toEqual(NOTHING)
  })
})

describe('a relay that is lost', () => {
  test('[CORE-13.6] the upload goes on where it was, however often it breaks off', async ({
    world,
    personWith,
    wire,
  }) => {
    const alice = await personWith()
    const bob = await world.person('bob')
    const bytes = randomFile(3_000_000)
    let breaks = 0
    wire.changeUpload = body => (breaks++ < 5 ? breakingOff(body, 500_001) : body)
    const spool = await filesOf(alice).spool(piecesOf(bytes), { uploads: 'now' })
    const stored = await spool.uploaded()
    expect(wire.uploads).toBeGreaterThanOrEqual(6)
    expect(Buffer.compare(await fetched(bob, stored), bytes)).toBe(0)
    await spool.release()
  })

  test('[CORE-13.6] who is slow gets what is on disk, and who is fast what was just sealed: the same bytes', async ({
    world,
    personWith,
    wire,
  }) => {
    const alice = await personWith()
    const bob = await world.person('bob')
    const bytes = randomFile(20 * CHUNK + 7)
    const { source, feed, end } = fedSource()
    const [begun, behind] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // The first piece is held until everything is sealed: its memory must not be overwritten meanwhile.
    wire.changeUpload = body => heldAtFirst(body, { begun: begun.resolve, until: behind.promise })
    const taking = filesOf(alice).spool(source, { uploads: 'now' })
    feed(bytes.subarray(0, 4 * CHUNK))
    await begun.promise
    for (let at = 4 * CHUNK; at < bytes.length; at += 3 * CHUNK) feed(bytes.subarray(at, at + 3 * CHUNK))
    end()
    const spool = await taking
    behind.resolve()
    expect(Buffer.compare(await fetched(bob, await spool.uploaded()), bytes)).toBe(0)
    await spool.release()
  })

  test('[CORE-13.6] also when the relay stops while the source still flows', async ({ world, personWith }) => {
    const alice = await personWith()
    const bytes = randomFile(4_000_000)
    const { source, feed, end } = fedSource()
    const taking = filesOf(alice).spool(source, { uploads: 'now' })
    feed(bytes.subarray(0, 1_500_000))
    await atRelay(world)
    await world.stopRelay()
    feed(bytes.subarray(1_500_000))
    await world.startRelay()
    end()
    const spool = await taking
    const bob = await world.person('bob')
    expect(Buffer.compare(await fetched(bob, await spool.uploaded()), bytes)).toBe(0)
    await spool.release()
  })

  test('[CORE-13.6] a source that pauses for long is no relay that stands still', async ({
    world,
    personWith,
    wire,
  }) => {
    const clock = new ManualClock()
    const alice = await personWith({ clock })
    const bytes = randomFile(2_000_000)
    const { source, feed, end } = fedSource()
    let isLost = false
    wire.changeUpload = async function* (body) {
      for await (const piece of body) {
        if (isLost) throw new CodedError('relay-unreachable')
        yield piece
      }
    }
    const taking = filesOf(alice).spool(source, { uploads: 'now' })
    feed(bytes.subarray(0, 1_500_000))
    await atRelay(world)
    // Everything sealed by now has arrived: nothing is expected of the relay.
    await expect.poll(() => statSync(relayFiles(world)[0] as string).size).toBe(5 * (CHUNK + 16))
    isLost = true
    clock.advance(20_000)
    clock.advance(20_000)
    feed(bytes.subarray(1_500_000))
    end()
    const spool = await taking
    isLost = false
    const stored = await passTime(clock, spool.uploaded())
    const bob = await world.person('bob')
    expect(Buffer.compare(await fetched(bob, stored), bytes)).toBe(0)
    await passTime(clock, spool.release())
  })

  test('[CORE-13.6] and when only the answer to its last byte was lost', async ({ world, personWith, wire }) => {
    const alice = await personWith()
    const bytes = randomFile(700_000)
    const bob = await world.person('bob')
    wire.changeUpload = body => (wire.uploads === 1 ? breakingOff(body, 700_000 + 3 * 16) : body)
    const known = await filesOf(alice).spool(piecesOf(bytes), { uploads: 'later' })
    expect(Buffer.compare(await fetched(bob, await known.uploaded()), bytes)).toBe(0)
    await known.release()
    await nothingLeft(world, alice)
    // An upload of unknown length is ended by another piece, which may be empty.
    wire.uploads = 0
    const { source, feed, end } = fedSource()
    const taking = filesOf(alice).spool(source, { uploads: 'now' })
    feed(bytes.subarray(0, 600_000))
    await atRelay(world)
    feed(bytes.subarray(600_000))
    end()
    const unknown = await taking
    expect(Buffer.compare(await fetched(bob, await unknown.uploaded()), bytes)).toBe(0)
    expect(wire.uploads).toBe(2)
    await unknown.release()
  })

  test('[CORE-13.7] one that stays away ends it with relay-unreachable, and the spool is gone', async ({
    world,
    personWith,
  }) => {
    const clock = new ManualClock()
    const alice = await personWith({ clock })
    const { source, feed } = fedSource()
    const taking = filesOf(alice).spool(source, { uploads: 'now' })
    feed(randomFile(1_500_000))
    await atRelay(world)
    await world.stopRelay()
    feed(randomFile(1_500_000))
    const startMs = clock.nowMs()
    await expect(passTime(clock, taking)).rejects.toSatisfy(coded('relay-unreachable'))
    expect(clock.nowMs() - startMs).toBeGreaterThan(20_000)
    expect(vaultFiles(alice)).toEqual([])
    await world.startRelay()
    await passTime(clock, nothingLeft(world, alice))
  })

  test('[CORE-13.7] so does one that takes bytes, again and again, and never has them', async ({
    world,
    personWith,
    wire,
  }) => {
    const clock = new ManualClock()
    const alice = await personWith({ clock })
    async function* swallow(body: AsyncIterable<Uint8Array>) {
      for await (const bytes of body) if (bytes.length === 0) yield bytes
      throw new CodedError('relay-unreachable')
    }
    wire.changeUpload = swallow
    const spool = await filesOf(alice).spool(piecesOf(randomFile(600_000)), { uploads: 'later' })
    await expect(passTime(clock, spool.uploaded())).rejects.toSatisfy(coded('relay-unreachable'))
    expect(wire.uploads).toBeGreaterThan(0)
    await passTime(clock, spool.release())
    await passTime(clock, nothingLeft(world, alice))
  })

  test('[CORE-13.7] and one that always wants other bytes than it is given', async ({ personWith, wire }) => {
    const clock = new ManualClock()
    const alice = await personWith({ clock })
    wire.changeStanding = () => ({ offset: 0, isComplete: false })
    const spool = await filesOf(alice).spool(piecesOf(randomFile(600_000)), { uploads: 'later' })
    await expect(passTime(clock, spool.uploaded())).rejects.toSatisfy(coded('relay-unreachable'))
    expect(wire.uploads).toBeLessThan(20)
    await passTime(clock, spool.release())
  })

  const testOfImpatientRelay = test.extend('worldOptions', () => ({ relayLimits: { httpIdleMs: 200 } }))

  testOfImpatientRelay(
    '[CORE-13.6] a source that pauses for longer than the relay holds a connection goes on',
    async ({ world, wire }) => {
      const clock = new ManualClock()
      const alice = await world.person('alice', { connectBlobs: wire.connect, clock })
      const bytes = randomFile(2_500_000)
      const { source, feed, end } = fedSource()
      const taking = filesOf(alice).spool(source, { uploads: 'now' })
      feed(bytes.subarray(0, 1_500_000))
      await atRelay(world)
      // A busy machine can be so slow that the relay cuts the first connection, too.
      const areThere = async (): Promise<void> =>
        await expect.poll(() => statSync(relayFiles(world)[0] as string).size).toBe(5 * (CHUNK + 16))
      await passTime(clock, areThere())
      for (let pause = 0; pause < 4; pause++) {
        clock.advance(clientLimits.fileStallMs)
        await new Promise(resolve => setTimeout(resolve, 150))
      }
      feed(bytes.subarray(1_500_000))
      end()
      const spool = await passTime(clock, taking)
      const stored = await passTime(clock, spool.uploaded())
      expect(wire.uploads).toBeGreaterThan(1)
      const bob = await world.person('bob')
      expect(Buffer.compare(await fetched(bob, stored), bytes)).toBe(0)
      await passTime(clock, spool.release())
    },
  )

  test('[CORE-13.7] what the relay cannot have is not believed', async ({ world, personWith, wire }) => {
    const alice = await personWith()
    for (const standing of [
      { offset: 10, isComplete: true },
      { offset: 9_000_000, isComplete: false },
    ]) {
      wire.changeStanding = () => standing
      const spool = await filesOf(alice).spool(piecesOf(randomFile(600_000)), { uploads: 'later' })
      await expect(spool.uploaded()).rejects.toSatisfy(coded('relay-broken'))
      await spool.release()
    }
    await nothingLeft(world, alice)
  })

  test('[CORE-13.7] a wait that is given up is not the end of the upload', async ({ personWith, wire }) => {
    const alice = await personWith()
    wire.isCut = true
    const spool = await filesOf(alice).spool(piecesOf(randomFile(600_000)), { uploads: 'later' })
    await expect(spool.uploaded(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    wire.isCut = false
    expect((await spool.uploaded()).size).toBe(600_000)
    await spool.release()
  })
})

type Held = { begun: () => void; until: Promise<void> }

async function* heldAtFirst(body: AsyncIterable<Uint8Array>, { begun, until }: Held): AsyncIterable<Uint8Array> {
  for await (const piece of body) {
    begun()
    await until
    yield piece
  }
}
