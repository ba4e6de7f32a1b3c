// The ids of events: SQLite counts them, so that none is used twice, whatever is removed.
import type { Database } from '../database.ts'

const NEWEST = "SELECT seq FROM sqlite_sequence WHERE name = 'journal'"

/** The highest id ever used; 0 if there was none. */
export const newestEventId = (reads: Pick<Database, 'get'>): number => reads.get<{ seq: number }>(NEWEST)?.seq ?? 0

/** Called right after the event was inserted. */
export const noteEventId = (database: Database, id: number): void => database.know?.(NEWEST, { seq: id })

/** After a restore from a backup: ids that were handed out since then are not used again. */
export function raiseNextId(database: Database, mark: number): void {
  const changed = database.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'journal'", mark).changes
  if (changed === 0) database.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('journal', ?)", mark)
}

/** An id for an event that is not in the journal itself. */
export function reserveEventId(database: Database): number {
  const id = newestEventId(database) + 1
  raiseNextId(database, id)
  noteEventId(database, id)
  return id
}
