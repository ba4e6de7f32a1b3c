// The SQLite end of a move: the relay's database in a data directory, locked until it is closed.
import { CodedError } from '@postern/protocol'
import { PARTITION_BITS } from '../store/postgres/schema/partition-tables.ts'
import { openUnchanged, type Sqlite, schemaOf } from '../store/sqlite/database.ts'
import { migrations } from '../store/sqlite/schema/migrations.ts'
import { incarnationIn } from '../store/sqlite/tools/incarnation-rows.ts'
import { moveNoteIn } from '../store/sqlite/tools/move-note-rows.ts'
import type { MovedFigures, MovedRow, TargetState } from './moved-figures.ts'
import { allMovedTables, type MovedTable } from './moved-tables.ts'

/** Throws `database-…` if a relay runs on it, there is none, or another version wrote it. */
export function openSource(directory: string): Sqlite {
  const db = openUnchanged(directory)
  try {
    if (schemaOf(db, directory) !== migrations.length) throw new CodedError('database-older', { place: directory })
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** No relay may have been started in the directory yet. */
export function foundIn(db: Sqlite, incarnation: Uint8Array): TargetState {
  const hasAccounts = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'account'").get()
  if (!hasAccounts || db.prepare('SELECT 1 FROM account LIMIT 1').get() === undefined) return 'empty'
  const found = incarnationIn(db)
  if (!found || Buffer.compare(found, incarnation) !== 0) return 'another relay'
  return moveNoteIn(db) ? 'left behind' : 'the same relay'
}

export const tablesOf = (db: Sqlite): MovedTable[] =>
  allMovedTables(table => db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table))

export const rowsInSqlite = (db: Sqlite, { fromSqlite }: MovedTable): number =>
  db.prepare<[], number>(`SELECT count(*) FROM (${fromSqlite})`).pluck().get() ?? 0

/** In pages: the rows may not fit into memory. */
export function* pagesInSqlite(db: Sqlite, { fromSqlite }: MovedTable, rowsMax: number): Generator<MovedRow[]> {
  let page: MovedRow[] = []
  for (const row of db.prepare<[], MovedRow>(fromSqlite).iterate()) {
    page.push(row)
    if (page.length < rowsMax) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** The numbers of all partitions that the rows need on PostgreSQL, and of the next ones. */
export function partitionsFor(db: Sqlite): number[] {
  const held = `SELECT pos >> ${PARTITION_BITS} FROM entry UNION SELECT pos >> ${PARTITION_BITS} FROM mailbox`
  const newest = Math.floor(figuresInSqlite(db).head / 2 ** PARTITION_BITS)
  return [...new Set([...db.prepare<[], number>(held).pluck().all(), newest, newest + 1])]
}

export function addToSqlite(db: Sqlite, { toSqlite }: MovedTable, rows: readonly MovedRow[]): void {
  const add = db.prepare(toSqlite)
  db.transaction(() => {
    for (const row of rows) add.run(row)
  })()
}

export function figuresInSqlite(db: Sqlite): MovedFigures {
  const given = (table: string) =>
    db.prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(table) ?? 0
  const retention = db
    .prepare<[], Pick<MovedFigures, 'floor' | 'setByMs' | 'setUntilMs'>>(
      'SELECT floor, set_by_ms AS setByMs, set_until_ms AS setUntilMs FROM retention',
    )
    .get()
  const { floor = 0, setByMs = 0, setUntilMs = 0 } = retention ?? {}
  const incarnation = incarnationIn(db) ?? new Uint8Array()
  return { incarnation, head: given('entry'), keyPackages: given('key_package'), floor, setByMs, setUntilMs }
}

export function putInSqlite(db: Sqlite, figures: MovedFigures): void {
  db.transaction(() => {
    const { floor, setByMs, setUntilMs } = figures
    db.prepare('UPDATE retention SET floor = ?, set_by_ms = ?, set_until_ms = ?').run(floor, setByMs, setUntilMs)
    db.prepare('UPDATE incarnation SET id = ?').run(figures.incarnation)
    for (const [table, given] of [
      ['entry', figures.head],
      ['key_package', figures.keyPackages],
    ]) {
      db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table)
      // A table that has assigned no number has no row.
      if (given !== 0) db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, given)
    }
  })()
}
