// The relay's incarnation: stored in its database, and a new one after a restore from a backup.
import type { Sqlite } from '../database.ts'

/** Undefined for a database from before incarnations. */
export function incarnationIn(db: Sqlite): Uint8Array | undefined {
  if (!hasTable(db)) return undefined
  return db.prepare<[], Uint8Array>('SELECT id FROM incarnation').pluck().get()
}

/** Sets a new random one. If there is no table, the coming migration creates one. */
export function beginIncarnation(db: Sqlite): void {
  if (hasTable(db)) db.prepare('UPDATE incarnation SET id = randomblob(16)').run()
}

const hasTable = (db: Sqlite): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'incarnation'").get() !== undefined
