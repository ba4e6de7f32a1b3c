// Inspects a shared database without changing it, to tell whether a relay would start on it.

import { openPostgres, placeOf } from '../connection/open-postgres.ts'
import type { Queries } from '../connection/queries.ts'
import { postgresMigrations } from '../schema/migrations.ts'

/** `empty`: no relay has created its tables yet. `newer`: their version is unknown to relays of this one. */
export type SeenDatabase = { place: string; server: string; bytes: number; tables: 'empty' | 'known' | 'newer' }

/** Throws `database-unreachable`. */
export async function inspectPostgres(address: string): Promise<SeenDatabase> {
  const database = await openPostgres(address)
  try {
    const seen = await database.one<{ server: string; bytes: number }>(
      "SELECT current_setting('server_version') AS server, pg_database_size(current_database()) AS bytes",
    )
    const { server = '', bytes = 0 } = seen ?? {}
    return { place: placeOf(address), server, bytes, tables: await tablesOf(database) }
  } finally {
    await database.close()
  }
}

async function tablesOf(database: Queries): Promise<SeenDatabase['tables']> {
  const found = await database.one<{ name: string | null }>("SELECT to_regclass('schema_version')::text AS name")
  if (!found?.name) return 'empty'
  const row = await database.one<{ usableFrom: number }>('SELECT usable_from AS "usableFrom" FROM schema_version')
  return (row?.usableFrom ?? 0) > postgresMigrations.length ? 'newer' : 'known'
}
