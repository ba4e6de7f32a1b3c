// The database content of a stopped relay, for either store.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { askDatabase } from '@postern/testkit/postgres'
import { databaseOf } from '@postern/testkit/test-databases'
import { expect } from 'vitest'

/** The rows, their columns separated by `|`; in SQL that both stores understand. */
export async function rowsOf(relayDirectory: string, sql: string): Promise<string[]> {
  const database = await databaseOf(relayDirectory)
  if (database !== undefined) return await askDatabase(database, sql)
  const file = new DatabaseSync(join(relayDirectory, 'relay.db'))
  const rows = file.prepare(sql).all()
  file.close()
  return rows.map(row => Object.values(row).join('|'))
}

/** After kills of the relay. PostgreSQL was not killed with it, and has no file of the relay's own. */
export async function expectSoundFile(relayDirectory: string): Promise<void> {
  if ((await databaseOf(relayDirectory)) !== undefined) return
  expect(await rowsOf(relayDirectory, 'PRAGMA integrity_check')).toEqual(['ok'])
}
