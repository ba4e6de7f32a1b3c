// A database that is there and slow: it runs a tenth of the time, or somebody holds a snapshot of it.
import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '@postern/testkit/postgres'
import { databaseName, type Victims } from './victims.ts'

/** The shares of a hundred milliseconds. */
const HELD_MS = 90
const RUNS_MS = 10

/** By the clock: on a busy machine a pause takes longer than it was asked for. */
export async function slowDown(server: PostgresServer, forMs: number): Promise<void> {
  for (const endMs = Date.now() + forMs; Date.now() < endMs; ) {
    server.hold()
    await pause(HELD_MS)
    server.letGo()
    await pause(RUNS_MS)
  }
}

/** False when the server was killed meanwhile. */
export async function holdSnapshot({ cluster, database }: Victims, forMs: number): Promise<boolean> {
  const hold = `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM account; SELECT pg_sleep(${forMs / 1000}); COMMIT`
  const held = cluster.primary.sql(hold, databaseName(database))
  return await held.then(
    () => true,
    () => false,
  )
}
