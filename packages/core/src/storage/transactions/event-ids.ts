// The ids of events: SQLite counts them, so that none is given twice, whatever is removed.
import type { Database } from '../database.ts'

const NEWEST = "SELECT seq FROM sqlite_sequence WHERE name = 'journal'"

/** The highest that was ever given; 0 when there was none. */
export const newestEventId = (reads: Pick<Database, 'get'>): number => reads.get<{ seq: number }>(NEWEST)?.seq ?? 0

/** Right after the event was inserted. */
export const noteEventId = (database: Database, id: number): void => database.know?.(NEWEST, { seq: id })

/** After a restore from a backup: ids that were given out since then are not given out again. */
export function raiseNextId(database: Database, mark: number): void {
  const changed = database.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'journal'", mark).changes
  if (changed === 0) database.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('journal', ?)", mark)
}
