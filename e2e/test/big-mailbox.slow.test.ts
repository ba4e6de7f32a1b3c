// A mailbox of 100,000 entries, as after weeks away: read in pages, never more in memory than the window lets through.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { silentLog } from '@postern/core'
import { openDataDirectory } from '@postern/core/node'
import { GROUP_ID_BYTES, relayDefaults, wireLimits } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame } from '@postern/protocol/relay'
import { Wire } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

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
  await world.stopRelay()
  fillMailbox(join(world.directory, 'relay'), { of: bob.id, from: alice.id })
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
  expect(cursorOf(back.directory)).toBe(lastCursor(join(world.directory, 'relay'), bob.id))
})

/** What a client is given and what it has acknowledged, as seen on its wire. */
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

  /** When so many entries are acknowledged. */
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

/** As if alice's messages of a past epoch came again and again: nothing to show, and each must be looked at. */
function fillMailbox(directory: string, { of, from }: { of: string; from: string }): void {
  const database = new DatabaseSync(join(directory, 'relay.db'))
  const numberOf = (account: string) => database.prepare('SELECT num FROM account WHERE id = ?').get(account)?.['num']
  const newest = database.prepare('SELECT max(pos) AS pos, chat_group, payload FROM entry WHERE kind = 1').get()
  const { chat_group: group, payload } = newest as { chat_group: number; payload: Uint8Array }
  database.exec('BEGIN')
  database
    .prepare(
      `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
       INSERT INTO entry (chat_group, seq, kind, sender, ts, payload)
       SELECT num, seq + n, 1, ?, last_ts + n, ? FROM chat_group, counted WHERE num = ?`,
    )
    .run(ENTRIES, numberOf(from) as number, ofPastEpoch(payload), group)
  database
    .prepare('INSERT INTO mailbox SELECT ?, pos FROM entry ORDER BY pos DESC LIMIT ?')
    .run(numberOf(of) as number, ENTRIES)
  database.prepare('UPDATE chat_group SET seq = seq + ?1, last_ts = last_ts + ?1 WHERE num = ?2').run(ENTRIES, group)
  database.exec('COMMIT')
  database.close()
}

/** Behind the version, the wire format and the group's id stands the epoch. */
function ofPastEpoch(payload: Uint8Array): Uint8Array {
  const past = payload.slice()
  past.fill(0, 5 + GROUP_ID_BYTES, 5 + GROUP_ID_BYTES + 8)
  return past
}

function lastCursor(directory: string, account: string): number {
  const database = new DatabaseSync(join(directory, 'relay.db'))
  const row = database
    .prepare('SELECT max(pos) AS last FROM mailbox JOIN account ON account.num = mailbox.account WHERE account.id = ?')
    .get(account)
  database.close()
  return row?.['last'] as number
}

function cursorOf(directory: string): number | undefined {
  const database = openDataDirectory(directory)
  const row = database.get<{ cursor: number }>('SELECT cursor FROM mailbox')
  database.close()
  return row?.cursor
}
