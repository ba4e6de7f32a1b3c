// A disk that cannot be written: the relay continues as far as possible, logs it, and catches up afterwards.
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { isCoded } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { failWrites, useUpDescriptors } from '@postern/testkit/faults'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { World } from './contract/world.ts'
import { bearer, begin, put } from './put-blob.ts'
import { arrive, chatOf, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { messageEnvelope } from './test-client.ts'

const { acknowledgeWithinMs, acknowledgeRetryMs, keepBlobsMs, sweepEveryMs } = relayLimits()

const dead = (error: unknown) => isCoded(error, 'storage-failed')

describe('acknowledgements', () => {
  test('[RELAY-1.26] wait for the disk, and need no other write to be kept', async () => {
    const clock = new ManualClock()
    const directory = temporaryDirectory()
    const store = openSqliteStore({ directory, limits: relayLimits(), wake: new InProcessWake(), clock })
    const world = new World(store)
    const [alice] = await world.people()
    let isKept = false
    const kept = store.acknowledge(alice, { cursor: 0, mark: 7 }).then(() => (isKept = true))
    {
      using _dead = failWrites()
      clock.advance(acknowledgeWithinMs)
      for (let tries = 0; tries < 3; tries++) {
        // After the write of the acknowledgement.
        await expect(store.raiseSerial(alice, 2)).rejects.toSatisfy(dead)
        clock.advance(acknowledgeRetryMs)
      }
      expect(isKept).toBe(false)
    }
    clock.advance(acknowledgeRetryMs)
    await kept
    await store.close()
  })

  test('[RELAY-1.26] of one account share what they wait with, however many come while nothing can be written', async () => {
    const clock = new ManualClock()
    const directory = temporaryDirectory()
    const store = openSqliteStore({ directory, limits: relayLimits(), wake: new InProcessWake(), clock })
    const [alice] = await new World(store).people()
    const acknowledge = (mark: number) => store.acknowledge(alice, { cursor: 0, mark })
    const kept = acknowledge(1)
    {
      using _dead = failWrites()
      for (let mark = 2; mark < 10; mark++) {
        expect(acknowledge(mark)).toBe(kept)
        clock.advance(acknowledgeRetryMs)
        await expect(store.raiseSerial(alice, 2)).rejects.toSatisfy(dead)
      }
    }
    clock.advance(acknowledgeRetryMs)
    await kept
    expect(acknowledge(10)).not.toBe(kept)
    await store.close()
  })

  test('[RELAY-1.26] that cannot be written end nothing, and are written when there is room', async () => {
    const dataDirectory = temporaryDirectory()
    const clock = new ManualClock(Date.now())
    const relay = await testRelay({ dataDirectory, clock })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    await bob.call('follow', { after: 0 })
    const entries = await bob.delivered(2)
    const cursor = entries.at(-1)?.cursor ?? 0
    {
      using _full = failWrites()
      bob.acknowledge(cursor, 7)
      await bob.call('ping', {})
      clock.advance(acknowledgeWithinMs)
      // The write has failed by the time this is refused.
      await expect(alice.append(messageEnvelope({ group, epoch: 1 }))).rejects.toMatchObject({ code: 'storage-failed' })
      expect((await fetch(`${relay.url}/healthz`)).status).toBe(200)
    }
    clock.advance(acknowledgeRetryMs)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    const again = openClient(relay)
    expect(await again.authenticate(bob.person)).toMatchObject({ cursor, mark: 7 })
  })
})

describe('a disk that cannot be written', () => {
  test('[RELAY-1.27] lets a relay start, be read and be stopped', async () => {
    const dataDirectory = temporaryDirectory()
    const before = await testRelay({ dataDirectory })
    const [alice, bob] = [await arrive(before), await arrive(before)]
    const group = await chatOf(alice, bob)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    await before.stop()
    {
      using _dead = failWrites()
      const relay = await testRelay({ dataDirectory })
      const reader = await arrive(relay, bob.person)
      await reader.call('follow', { after: 0 })
      expect(await reader.delivered(2)).toHaveLength(2)
      reader.acknowledge(reader.lastCursor)
      await expect(reader.append(messageEnvelope({ group, epoch: 1 }))).rejects.toSatisfy(dead)
      await relay.stop()
    }
    const after = await testRelay({ dataDirectory })
    const writer = await arrive(after, bob.person)
    expect((await writer.append(messageEnvelope({ group, epoch: 1 }))).accepted?.seq).toBe(3)
  })

  test('[RELAY-3.11] refuses blobs by 503 in one line without a stack, and they go on where they ended', async () => {
    const lines: string[] = []
    const stream = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const relay = await testRelay({ log: pino({ level: 'warn' }, stream), limits: { faultsLoggedPerMinute: 2 } })
    const alice = await arrive(relay)
    const bytes = randomBytes(100_000)
    const begun = await begin(relay, alice, bytes.length)
    {
      using _dead = failWrites()
      for (let tries = 0; tries < 5; tries++) {
        const answer = await put(begun, bytes, 0)
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
        expect(await answer.json()).toMatchObject({ code: 'storage-failed' })
      }
    }
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ msg: 'request failed', system: 'EFBIG' })
    expect(lines.join('')).not.toContain('stack')
    expect((await put(begun, bytes, 0)).status).toBe(204)
  })
})

test('[RELAY-3.13] what has expired of blobs makes room on a full disk first, and its rows go when they can be written', async () => {
  const clock = new ManualClock(Date.now())
  const dataDirectory = temporaryDirectory()
  const relay = await testRelay({ dataDirectory, clock })
  const bytes = randomBytes(1000)
  const begun = await begin(relay, await arrive(relay), bytes.length)
  expect((await put(begun, bytes, 0)).status).toBe(204)
  const blobFiles = () =>
    readdirSync(join(dataDirectory, 'blobs'), { recursive: true, encoding: 'utf8' }).filter(path =>
      path.endsWith(begun.blob),
    )
  expect(blobFiles()).toHaveLength(1)
  /** By its row: the holder of the token may ask for the upload's progress. */
  const isKnown = async () => (await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })).status !== 404
  {
    using _full = failWrites()
    clock.leap(keepBlobsMs + sweepEveryMs)
    await expect.poll(blobFiles).toEqual([])
    expect(await isKnown()).toBe(true)
  }
  const isSwept = async () => {
    clock.leap(sweepEveryMs)
    return !(await isKnown())
  }
  await expect.poll(isSwept).toBe(true)
})

test('[RELAY-3.12] without descriptors blobs are 503, connections that stand go on, and new ones come when there are some', async () => {
  const relay = await testRelay()
  const [alice, bob] = [await arrive(relay), await arrive(relay)]
  const group = await chatOf(alice, bob)
  const bytes = randomBytes(1000)
  const begun = await begin(relay, alice, bytes.length)
  // The open connection is used again: a new one would not be accepted.
  await (await fetch(`${relay.url}/healthz`)).text()
  await alice.call('ping', {})
  {
    using _none = useUpDescriptors()
    const answer = await put(begun, bytes, 0)
    expect(await answer.json()).toMatchObject({ code: 'descriptors-used-up' })
    expect(answer.status).toBe(503)
    expect((await alice.append(messageEnvelope({ group, epoch: 1 }))).accepted?.seq).toBe(2)
    await expect(openClient(relay).challenge).rejects.toThrow()
  }
  expect((await put(begun, bytes, 0)).status).toBe(204)
  expect(await (await arrive(relay)).call('ping', {})).toBeDefined()
})
