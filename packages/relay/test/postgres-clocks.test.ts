// A relay whose clock is wrong, among others on the same database.
import { systemClock } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import type { StoreOptions } from '../src/store/relay-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { DAY_MS, World } from './contract/world.ts'
import { testRelay } from './relay-fixture.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Clocks of relays that share one are not tried.`)

async function openWorlds<Names extends string>(
  ages: Record<Names, StoreOptions['ages']>,
): Promise<Record<Names, World>> {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  const open = async (which: StoreOptions['ages']) => {
    const around = { directory: '', limits: relayLimits({}), wake: new InProcessWake(), clock: systemClock }
    const store = await openPostgresStore(database, { ...around, ...(which && { ages: which }) })
    onTestFinished(() => store.close())
    return new World(store)
  }
  const worlds: Partial<Record<string, World>> = {}
  for (const name in ages) worlds[name] = await open(ages[name])
  return worlds as Record<Names, World>
}

describe.skipIf(isMissing)('a clock that is wrong at one relay', () => {
  test('[RELAY-7.15] changes no order when it jumps', async () => {
    const { here, there } = await openWorlds({ here: 'by-own-clock', there: 'by-own-clock' })
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    for (const byMs of [400 * DAY_MS, -700 * DAY_MS, 0]) {
      there.nowMs = here.nowMs + byMs
      await Promise.all([here, there, here, there].map(world => world.send(group, { sender: alice })))
    }
    const read = await here.read(bob)
    expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 13 }, (_, at) => at + 1))
    for (const [at, { ts }] of read.slice(1).entries()) expect(ts).toBeGreaterThan(read[at]?.ts ?? 0)
  })

  test('[RELAY-7.15] takes nothing before its time by the clock of the database', async () => {
    const { right, ahead, alone } = await openWorlds({
      right: 'by-both-clocks',
      ahead: 'by-both-clocks',
      alone: 'by-own-clock',
    })
    right.nowMs = systemClock.nowMs()
    ahead.nowMs = right.nowMs + 400 * DAY_MS
    alone.nowMs = ahead.nowMs
    const [alice, bob] = await right.people()
    const group = await right.chat(alice, bob)
    await right.send(group, { sender: alice })
    await ahead.sweep()
    expect(await right.kinds(bob)).toEqual(['welcome', 'message'])
    // A relay that uses only its own clock shows that they would have been removed.
    await alone.sweep()
    expect(await right.kinds(bob)).toEqual([])
  })

  test('[RELAY-7.15] is not believed by a relay that has the clock of its machine', async () => {
    const asked: StoreOptions['ages'][] = []
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => undefined)
    const openStore = ({ ages }: StoreOptions) => {
      asked.push(ages)
      reject(new Error('seen'))
      return promise
    }
    await expect(testRelay({ openStore })).rejects.toThrow('seen')
    await expect(testRelay({ openStore, clock: new ManualClock() })).rejects.toThrow('seen')
    expect(asked).toEqual(['by-both-clocks', 'by-own-clock'])
  })
})
