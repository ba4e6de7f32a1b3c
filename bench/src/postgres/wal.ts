// The cost of a reference in a mailbox in the database's own log: after a checkpoint each page is written whole at its
// first change.
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import type { Child } from '../processes/child.ts'
import type { Row } from '../table.ts'
import { startStores } from './children.ts'

const MEMBERS = 200
const GROUPS = 20
/** Enough that each mailbox has pages of its own in the index, as those of people do. */
const STORED_PER_GROUP = 150

export async function measureWal(): Promise<Row[]> {
  if (findPostgres() === undefined) {
    console.error(POSTGRES_MISSING)
    return []
  }
  // Only the checkpoints of this benchmark.
  await using server = await PostgresServer.start({ max_wal_size: '16GB', checkpoint_timeout: '1d' })
  const place = { kind: 'postgres' as const, database: await server.createDatabase() }
  const [store] = (await startStores(place, 1)) as [Child]
  await store.ask('speak', await store.ask('fill', { members: MEMBERS, groups: GROUPS }))
  await append(store, GROUPS * STORED_PER_GROUP)
  const after = await afterCheckpoint(server, store)
  const later = await bytesPerReference(server, store)
  await server.sql("ALTER SYSTEM SET wal_compression = 'pglz'")
  await server.sql('SELECT pg_reload_conf()')
  const compressed = await afterCheckpoint(server, store)
  await store.stop()
  const peer = { what: 'long after it', figure: later, better: 'less' as const }
  return [
    { what: 'log per reference, right after a checkpoint', ours: after, unit: 'bytes', peer },
    { what: 'the same with wal_compression = pglz', ours: compressed, unit: 'bytes', peer },
  ]
}

async function append(store: Child, count: number): Promise<void> {
  await store.ask('appendSteadily', { count, everyMs: 0 })
  await store.ask('inMailboxes')
}

async function afterCheckpoint(server: PostgresServer, store: Child): Promise<number> {
  await server.sql('CHECKPOINT')
  return await bytesPerReference(server, store)
}

/** One message to each group: every mailbox grows by one. */
async function bytesPerReference(server: PostgresServer, store: Child): Promise<number> {
  const from = await server.sql('SELECT pg_current_wal_insert_lsn()')
  await append(store, GROUPS)
  const bytes = Number(await server.sql(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '${from}')`))
  return bytes / (GROUPS * (MEMBERS - 1))
}
