// Stores that share one database, and an account's view of both; all of it ends with the test.
import { type Clock, systemClock } from '@postern/protocol'
import { onTestFinished } from 'vitest'
import { type RelayLimits, relayLimits } from '../src/limits/relay-limits.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { World } from './contract/world.ts'

/** New people are unlimited: these tests are about something else. */
const roomy: Partial<RelayLimits> = { newPeoplePerDay: 10_000 }

export async function openShared(database: string, limits: Partial<RelayLimits> = {}): Promise<World> {
  const wake = new InProcessWake()
  const options = { directory: '', limits: relayLimits({ ...roomy, ...limits }), wake, clock: systemClock }
  const store = await openPostgresStore(database, options)
  onTestFinished(() => store.close())
  return new World(store, wake)
}

/** A command that waits for relays to end gives up ten times earlier. */
export const hurried: Clock = { ...systemClock, setTimer: (ms, fire) => systemClock.setTimer(ms / 10, fire) }
