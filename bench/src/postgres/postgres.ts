// Relays on one PostgreSQL compared with one relay on SQLite: each benchmark on a separate durable server, in a
// temporary directory.
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import type { Row } from '../table.ts'
import { appendRows } from './appends.ts'
import { deliveryRows } from './delivery.ts'
import { floodRows } from './flood.ts'
import { growthRows } from './growth.ts'
import { idleRows } from './idle.ts'
import { loginRows } from './logins.ts'
import { pageRows } from './pages.ts'
import { returningRows } from './returning.ts'
import { echoRows } from './two-relays.ts'

/** As an operator would configure it for this load: the log is not recycled every few seconds. */
const settings = { shared_buffers: '512MB', max_wal_size: '4GB' }

type Measure = (server: PostgresServer) => Promise<Row[]>

async function onServer(measures: readonly Measure[]): Promise<Row[]> {
  if (findPostgres() === undefined) {
    console.error(POSTGRES_MISSING)
    return []
  }
  await using server = await PostgresServer.start(settings)
  const rows: Row[] = []
  for (const measure of measures) rows.push(...(await measure(server)))
  return rows
}

export const measurePostgres = (): Promise<Row[]> => onServer([appendRows, deliveryRows, pageRows, floodRows])
export const measurePostgresLogins = (): Promise<Row[]> => onServer([loginRows, returningRows])
export const measurePostgresGrowth = (): Promise<Row[]> => onServer([growthRows])
export const measurePostgresRelays = (): Promise<Row[]> => onServer([idleRows, echoRows])
