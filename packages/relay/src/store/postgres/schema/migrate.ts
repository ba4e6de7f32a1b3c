// Migrates the tables to this program's version:
// one relay at a time, while relays of the previous version may be running.
import { CodedError, type Log, moveLimits, postgresLimits } from '@postern/protocol'
import type { Postgres } from '../connection/database.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'
import { type Queries, queriesOn } from '../connection/queries.ts'
import { causeOf, isWorthAgain } from '../connection/storage-error.ts'
import { type MigrationStep, postgresMigrations } from './migrations.ts'

type Version = { version: number; usableFrom: number }

/** Throws `database-newer` and `postgres-too-old`. `place`: the address without its password. */
export async function migrate(database: Postgres, place: string, log?: Log): Promise<void> {
  const server = await database.one<{ version: number }>(
    "SELECT current_setting('server_version_num')::integer AS version",
  )
  const { serverVersionMin } = postgresLimits
  if ((server?.version ?? 0) < serverVersionMin)
    throw new CodedError('postgres-too-old', { place, version: Math.floor(serverVersionMin / 10_000) })
  const line = database.line()
  try {
    const done = await migrateAlone(line, log)
    if (done.version > postgresMigrations.length && done.usableFrom > postgresMigrations.length)
      throw new CodedError('database-newer', { directory: place })
  } finally {
    await line.close()
  }
}

/** Uses its own connection, with which the lock ends. Other starting relays wait for it, however long it takes. */
async function migrateAlone(line: DedicatedConnection, log: Log | undefined): Promise<Version> {
  const client = await line.connected()
  const patience = { query_timeout: moveLimits.statementMs }
  const patient = queriesOn({
    query: asked => client.query({ ...(typeof asked === 'string' ? { text: asked } : asked), ...patience }),
  })
  await patient.script('SET statement_timeout = 0')
  await patient.script('SELECT pg_advisory_lock(4, 1)')
  for (;;) {
    const found = await versionIn(patient)
    const step = postgresMigrations[found.version]
    if (!step) return found
    if (found.version > 0)
      log?.info({ schema: found.version + 1, newest: postgresMigrations.length }, 'database migration step started')
    for (const sql of step.before ?? []) await patient.script(sql)
    await applyStep(line, { step, from: found.version })
  }
}

type NextStep = { step: MigrationStep; from: number }

/**
 * Running relays go first: tables are locked briefly, and a lock is awaited only for a short time. Each step has its
 * own transaction: one that holds a table while it waits for another could deadlock.
 */
async function applyStep(
  line: DedicatedConnection,
  next: NextStep,
  triesLeft: number = postgresLimits.migrateTriesMax,
): Promise<void> {
  try {
    const done = await line.transaction(tx => stepIn(tx, next))
    if (done.kind === 'in-doubt') throw done.error
  } catch (error) {
    if (triesLeft === 0 || !isInTheWay(error)) throw error
    await applyStep(line, next, triesLeft - 1)
  }
}

const isInTheWay = (error: unknown): boolean =>
  isWorthAgain(error) || (causeOf(error) as { code?: unknown }).code === '55P03'

async function stepIn(tx: Queries, { step, from }: NextStep): Promise<void> {
  await tx.script(`SET LOCAL lock_timeout = ${postgresLimits.tableLockMs}`)
  await tx.script(step.sql)
  await tx.run(
    `INSERT INTO schema_version (version, usable_from) VALUES ($1, $2)
     ON CONFLICT (one) DO UPDATE SET version = excluded.version, usable_from = excluded.usable_from`,
    [from + 1, step.usableFrom],
  )
}

async function versionIn(queries: Queries): Promise<Version> {
  await queries.run(`CREATE TABLE IF NOT EXISTS schema_version (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, usable_from integer NOT NULL)`)
  const found = await queries.one<Version>('SELECT version, usable_from AS "usableFrom" FROM schema_version')
  return found ?? { version: 0, usableFrom: 0 }
}
