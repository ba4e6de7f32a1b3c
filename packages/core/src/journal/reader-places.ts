// The places of readers in the journal: moving one, and removing the entries that all of them have passed.
import { clientLimits } from '@postern/protocol'
import type { Database } from '../storage/database.ts'

/** Creates the reader if there is none. */
export function moveReader(database: Database, reader: string, upTo: number): void {
  database.run(
    `INSERT INTO reader (name, confirmed) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET confirmed = max(confirmed, excluded.confirmed)`,
    reader,
    upTo,
  )
}

/** Removes everything if every reader has reached the end. */
export function dropRest(database: Database): void {
  database.run(
    `DELETE FROM journal WHERE id <= (SELECT min(confirmed) FROM reader)
       AND (SELECT min(confirmed) FROM reader) >= (SELECT max(id) FROM journal)`,
  )
}

/**
 * Removes entries that every reader has confirmed, once nothing else is left or there are many. Removing a hundred of
 * ten thousand touches as many pages as removing a thousand, because their message ids are spread over the index. Until
 * then only the readers' places hide them: these are in the same database, and no kill undoes them separately.
 */
export function dropConfirmed(database: Database): void {
  const { past, oldest, newest } = database.get<{ past: number | null; oldest: number | null; newest: number | null }>(
    `SELECT (SELECT min(confirmed) FROM reader) AS past, (SELECT min(id) FROM journal) AS oldest,
       (SELECT max(id) FROM journal) AS newest`,
  ) ?? { past: null, oldest: null, newest: null }
  if (past === null || oldest === null || newest === null) return
  if (past >= newest || past - oldest >= clientLimits.journalDroppedAtOnce)
    database.run('DELETE FROM journal WHERE id <= ?', past)
}

export type RetentionLimits = { olderThanTs: number; keepMax: number }

/** The last entry that is too old, and the last one that is too old or one too many. */
export type LostEntries = { tooOld: number; either: number }

/** `from` if there is none. */
export function lostUpTo(database: Database, from: number, { olderThanTs, keepMax }: RetentionLimits): LostEntries {
  const old = database.get<{ id: number | null }>('SELECT max(id) AS id FROM journal WHERE ts < ?', olderThanTs)
  const many = database.get<{ id: number }>('SELECT id FROM journal ORDER BY id DESC LIMIT 1 OFFSET ?', keepMax)
  const tooOld = Math.max(old?.id ?? 0, from)
  return { tooOld, either: Math.max(tooOld, many?.id ?? 0) }
}
