// Everybody comes back to a relay on PostgreSQL at the same time, while each commit waits for a standby.
import { join } from 'node:path'
import type { PostgresServer } from '@postern/testkit/postgres'
import { connectionCount } from '../connections/connections.ts'
import { Child } from '../processes/child.ts'
import type { RelaySettings } from '../processes/relay.ts'
import { sharedNowMs } from '../processes/shared-clock.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { startStores } from './children.ts'
import { delayCommits } from './commit-delay.ts'
import type { KnownDevice } from './log-in.ts'
import type { Returned } from './returning-crowd.ts'

const CROWDS = 4
const COMMIT_MS = 20
const WITHIN_MS = 120_000

export const returningRows = (server: PostgresServer): Promise<Row[]> =>
  inScratch(async directory => {
    const count = Math.floor(connectionCount() / CROWDS) * CROWDS
    const database = await server.createDatabase()
    const settings = { directory: join(directory, 'relay'), database }
    const crowds = await Promise.all(
      Array.from({ length: CROWDS }, () => Child.start(new URL('./returning-crowd.ts', import.meta.url), {})),
    )
    const [filling] = await startStores({ kind: 'postgres', database }, 1)
    for (const crowd of crowds) await filling?.ask('register', await crowd.ask<KnownDevice[]>('make', count / CROWDS))
    await filling?.stop()
    await delayCommits(server, { database, ms: COMMIT_MS })
    const relay = await startRelay(settings)
    const asked = { url: relay.state.url, withinMs: WITHIN_MS }
    const startedMs = sharedNowMs()
    const returned = await Promise.all(crowds.map(crowd => crowd.ask<Returned>('comeBack', asked)))
    await Promise.all([...crowds, relay].map(child => child.stop()))
    await server.dropDatabase(database)
    return rowsOf(returned, { count, startedMs })
  })

const startRelay = (settings: RelaySettings): Promise<Child<{ url: string }>> =>
  Child.start(new URL('../processes/relay.ts', import.meta.url), settings)

function rowsOf(returned: readonly Returned[], { count, startedMs }: { count: number; startedMs: number }): Row[] {
  const onlineMs = returned.flatMap(one => one.onlineMs).toSorted((one, other) => one - other)
  // While somebody is missing, the last one has not come, and nobody did since the one before.
  const timesMs = onlineMs.length < count ? [...onlineMs, startedMs + WITHIN_MS] : onlineMs
  const sinceStartMs = timesMs.map(ms => ms - startedMs)
  const sum = (of: 'dials' | 'unanswered'): number => returned.reduce((all, one) => all + one[of], 0)
  const pause = longestPause(sinceStartMs)
  const what = `of ${count} clients that return at the same time, commits of ${COMMIT_MS} ms`
  return [
    { what: `back within ${WITHIN_MS / 1000} s ${what}`, ours: onlineMs.length / count, unit: 'of all' },
    { what: `the first ${what}`, ours: (sinceStartMs[0] ?? 0) / 1000, unit: 's' },
    { what: `the last ${what}`, ours: (sinceStartMs.at(-1) ?? 0) / 1000, unit: 's' },
    { what: `longest time between two logins ${what}`, ours: pause.lengthMs, unit: 'ms' },
    { what: `when that time began ${what}`, ours: pause.beganMs / 1000, unit: 's' },
    { what: `in by then ${what}`, ours: pause.loggedIn / count, unit: 'of all' },
    { what: `dials ${what}`, ours: sum('dials') / count, unit: 'each' },
    { what: `dials that nobody answered in time ${what}`, ours: sum('unanswered') / count, unit: 'each' },
  ]
}

/** `loggedIn`: the clients that were in when it began. */
type Pause = { beganMs: number; lengthMs: number; loggedIn: number }

const longestPause = (timesMs: readonly number[]): Pause =>
  timesMs
    .slice(1)
    .map((ms, at) => ({ beganMs: timesMs[at] ?? 0, lengthMs: ms - (timesMs[at] ?? 0), loggedIn: at + 1 }))
    .reduce((one, other) => (other.lengthMs > one.lengthMs ? other : one), { beganMs: 0, lengthMs: 0, loggedIn: 0 })
