// Which life of the relay this is: kept in its database, and another one after a restore from a backup.
import type { Sqlite } from '../database.ts'

/** Undefined in a database that is older than incarnations. */
export function incarnationIn(db: Sqlite): Uint8Array | undefined {
  if (!hasTable(db)) return undefined
  return db.prepare<[], Uint8Array>('SELECT id FROM incarnation').pluck().get()
}

/** One that nobody can have known. Where there is none, the migration to come makes one. */
export function beginIncarnation(db: Sqlite): void {
  if (hasTable(db)) db.prepare('UPDATE incarnation SET id = randomblob(16)').run()
}

const hasTable = (db: Sqlite): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'incarnation'").get() !== undefined
