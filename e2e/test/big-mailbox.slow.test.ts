// A mailbox of 100,000 entries, as after weeks away: read in pages, with no more in memory than the window allows.
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { silentLog } from '@postern/core'
import { openDataDirectory } from '@postern/core/node'
import { relayDefaults, wireLimits } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame } from '@postern/protocol/relay'
import { Wire } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { allDelivered, fillMailbox, lastCursor } from './fill-mailbox.ts'

const ENTRIES = 100_000
const SAMPLE_EVERY = 10_000
const GROWTH_BYTES_MAX = 64 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('[RELAY-2.8] 100,000 entries are read in pages, in bounded memory, to the last one', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  await bob.say(alice, 'seen')
  await alice.hears('seen')
  await world.close(bob)

  await alice.say(bob, 'first while away')
  const relay = join(world.directory, 'relay')
  await allDelivered(relay)
  await world.stopRelay()
  await fillMailbox(relay, { of: bob.id, from: alice.id, count: ENTRIES })
  await world.startRelay()
  await alice.online()
  await alice.say(bob, 'last while away')

  const before = usedBytes()
  const reading = new Reading()
  const back = await world.person('bob', { wire: reading.wire, log: silentLog })
  await reading.past(ENTRIES)
  await back.hears('last while away')
  expect(back.texts(alice)).toEqual(['before', 'seen', 'first while away', 'last while away'])
  expect(reading.delivered).toBeGreaterThan(ENTRIES)
  expect(reading.largestPage).toBeLessThanOrEqual(wireLimits.deliverEntriesMax)
  expect(reading.mostUnacknowledged).toBeLessThanOrEqual(relayDefaults.unacknowledgedEntriesMax)
  await expect.poll(() => reading.unacknowledged).toBe(0)
  expect(reading.samples.length).toBe(ENTRIES / SAMPLE_EVERY)
  expect(Math.max(...reading.samples) - before, 'grown while reading').toBeLessThan(GROWTH_BYTES_MAX)

  await world.close(back)
  await world.stopRelay()
  expect(cursorOf(back.directory)).toBe(await lastCursor(relay, bob.id))
})

/** The entries that a client received and acknowledged, as seen on its wire. */
class Reading {
  readonly wire = new Wire()
  readonly #unacknowledged: number[] = []
  readonly samples: number[] = []
  #delivered = 0
  largestPage = 0
  mostUnacknowledged = 0
  #awaited: { count: number; resolve: () => void } | undefined

  constructor() {
    this.wire.incoming = bytes => {
      const frame = decodeRelayFrame(bytes)
      if (frame.kind === 'deliver') this.#deliver(frame.entries.map(entry => entry.cursor))
      return [bytes]
    }
    this.wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes)
      if (frame.kind === 'acknowledge') this.#acknowledge(frame.cursor)
      return [bytes]
    }
  }

  get delivered(): number {
    return this.#delivered
  }

  get unacknowledged(): number {
    return this.#unacknowledged.length
  }

  /** Resolves when this many entries are acknowledged. */
  async past(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#awaited = { count, resolve }
    await promise
  }

  #deliver(cursors: number[]): void {
    this.#delivered += cursors.length
    this.#unacknowledged.push(...cursors)
    this.largestPage = Math.max(this.largestPage, cursors.length)
    this.mostUnacknowledged = Math.max(this.mostUnacknowledged, this.#unacknowledged.length)
    if (this.#delivered >= (this.samples.length + 1) * SAMPLE_EVERY) this.samples.push(usedBytes())
  }

  #acknowledge(cursor: number): void {
    const kept = this.#unacknowledged.findIndex(one => one > cursor)
    this.#unacknowledged.splice(0, kept === -1 ? this.#unacknowledged.length : kept)
    const { count, resolve } = this.#awaited ?? {}
    if (count !== undefined && this.#delivered - this.#unacknowledged.length >= count) resolve?.()
  }
}

function usedBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function cursorOf(directory: string): number | undefined {
  const database = openDataDirectory(directory)
  const row = database.get<{ cursor: number }>('SELECT cursor FROM mailbox')
  database.close()
  return row?.cursor
}
