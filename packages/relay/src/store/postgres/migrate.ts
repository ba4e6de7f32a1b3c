// Brings the tables up to this program's version: one relay at a time, while others of the version before may be at work.
import { CodedError, postgresLimits } from '@postern/protocol'
import type { Postgres } from './database.ts'
import { postgresMigrations } from './migrations.ts'
import type { Queries } from './queries.ts'

type Version = { version: number; usableFrom: number }

/** Throws `database-newer` and `database-too-old`. `place`: where it is, without its password. */
export async function migrate(database: Postgres, place: string): Promise<void> {
  const server = await database.one<{ version: number }>(
    "SELECT current_setting('server_version_num')::integer AS version",
  )
  const { serverVersionMin } = postgresLimits
  if ((server?.version ?? 0) < serverVersionMin)
    throw new CodedError('database-too-old', { place, version: Math.floor(serverVersionMin / 10_000) })
  const done = await database.transaction(tx => migrateIn(tx))
  if (done.version > postgresMigrations.length && done.usableFrom > postgresMigrations.length)
    throw new CodedError('database-newer', { directory: place })
}

async function migrateIn(tx: Queries): Promise<Version> {
  await tx.rows('SELECT pg_advisory_xact_lock(4, 1)')
  await tx.run(`CREATE TABLE IF NOT EXISTS schema_version (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, usable_from integer NOT NULL)`)
  const found = await tx.one<Version>('SELECT version, usable_from AS "usableFrom" FROM schema_version')
  const before = found ?? { version: 0, usableFrom: 0 }
  const steps = postgresMigrations.slice(before.version)
  const last = steps.at(-1)
  if (!last) return before
  for (const { sql } of steps) await tx.script(sql)
  const now = { version: postgresMigrations.length, usableFrom: last.usableFrom }
  await tx.run(
    `INSERT INTO schema_version (version, usable_from) VALUES ($1, $2)
     ON CONFLICT (one) DO UPDATE SET version = excluded.version, usable_from = excluded.usable_from`,
    [now.version, now.usableFrom],
  )
  return now
}
