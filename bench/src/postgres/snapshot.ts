// The cost of an append on the server while a client holds an old snapshot, as a dump does: no dead row can be removed
// then.
import { readFileSync } from 'node:fs'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { Client } from 'pg'
import type { Child } from '../processes/child.ts'
import type { Row } from '../table.ts'
import { startStores } from './children.ts'
import type { Talk } from './talks.ts'

/** Nothing else works on its tables. */
const settings = { shared_buffers: '512MB', max_wal_size: '4GB', autovacuum: 'off' }
const APPENDS = Number(process.env['BENCH_SNAPSHOT_APPENDS'] ?? 16_000)
const PER_FIGURE = 1000
const shapes = [
  { name: 'many pairs', members: 2, groups: 256 },
  { name: 'one pair', members: 2, groups: 1 },
  { name: 'one group of 200', members: 200, groups: 1 },
]

export async function measureSnapshot(): Promise<Row[]> {
  if (findPostgres() === undefined) {
    console.error(POSTGRES_MISSING)
    return []
  }
  await using server = await PostgresServer.start(settings)
  const rows: Row[] = []
  for (const { name, ...shape } of shapes) {
    const [first, last] = await measureShape(server, shape)
    const peer = { what: `the first ${PER_FIGURE}`, figure: first, better: 'less' as const }
    rows.push({
      what: `server CPU time of an append, ${name}, ${APPENDS} after a snapshot`,
      ours: last,
      unit: 'ms',
      peer,
    })
  }
  return rows
}

/** The times of the first appends under the snapshot, and of the last. */
async function measureShape(
  server: PostgresServer,
  shape: { members: number; groups: number },
): Promise<[first: number, last: number]> {
  const database = await server.createDatabase()
  const [store] = await startStores({ kind: 'postgres', database }, 1)
  if (!store) throw new RangeError('there is one')
  await store.ask('speak', await store.ask<Talk[]>('fill', shape))
  // As many as there are pairs at least: from then on the relay remembers all of them.
  await appendMany(store, PER_FIGURE)
  const holder = new Client(database)
  await holder.connect()
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await holder.query('SELECT 1 FROM account LIMIT 1')
  const figures: number[] = []
  for (let done = 0; done < APPENDS; done += PER_FIGURE) {
    const before = await timeOf(server, database)
    await appendMany(store, PER_FIGURE)
    figures.push(((await timeOf(server, database)) - before) / PER_FIGURE)
    await store.ask('acknowledgeAll')
  }
  await holder.end()
  await store.stop()
  await server.dropDatabase(database)
  if (process.env['BENCH_VERBOSE']) console.error(figures.map(figure => figure.toFixed(3)).join(' '))
  return [figures[0] ?? 0, figures.at(-1) ?? 0]
}

/** One after the other: each is a batch of its own. */
async function appendMany(store: Child, count: number): Promise<void> {
  await store.ask('appendInTurn', count)
}

/** CPU time of the server for all connections of the relay, in milliseconds: other processes on the machine do not count. */
async function timeOf(server: PostgresServer, database: string): Promise<number> {
  const name = new URL(database).pathname.slice(1)
  const asked = "SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE application_name = 'postern-relay'"
  const pids = (await server.sql(`${asked} AND datname = '${name}'`, name)).split(',')
  const spentNs = pids.map(pid => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]))
  return spentNs.reduce((sum, each) => sum + each) / 1e6
}
