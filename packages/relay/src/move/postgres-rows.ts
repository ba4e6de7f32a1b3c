// The rows of a relay on PostgreSQL, read and written by a move within its transaction.
import { postgresLimits } from '@postern/protocol'
import type { Queries } from '../store/postgres/connection/queries.ts'
import type { MovedFigures, MovedRow } from './moved-figures.ts'
import { type MovedTable, PLACES_ON_POSTGRES } from './moved-tables.ts'

export async function rowsInPostgres(tx: Queries, { fromPostgres }: MovedTable): Promise<number> {
  return (await tx.one<{ rows: number }>(`SELECT count(*) AS rows FROM (${fromPostgres}) counted`))?.rows ?? 0
}

/** In pages: the rows may not fit into memory. */
export async function* pagesInPostgres(
  tx: Queries,
  { fromPostgres }: MovedTable,
  rowsMax: number,
): AsyncGenerator<MovedRow[]> {
  await tx.script(`DECLARE moved NO SCROLL CURSOR FOR ${fromPostgres}`)
  for (;;) {
    const page = await tx.rows<MovedRow>(`FETCH FORWARD ${rowsMax} FROM moved`)
    if (page.length > 0) yield page
    if (page.length < rowsMax) break
  }
  await tx.script('CLOSE moved')
}

export async function addToPostgres(
  tx: Queries,
  { name, columns }: MovedTable,
  rows: readonly MovedRow[],
): Promise<void> {
  const places = rows.map(
    (_, row) => `(${columns.map((_column, at) => `$${row * columns.length + at + 1}`).join(', ')})`,
  )
  const text = `INSERT INTO ${name} (${columns.join(', ')}) VALUES ${places.join(', ')}`
  await tx.run(
    text,
    rows.flatMap(row => columns.map(column => row[column])),
  )
}

/** Empties the outbox into the mailboxes, because SQLite has none, and computes the position of each entry once. */
export async function prepareToLeave(queries: Queries): Promise<void> {
  const values = [postgresLimits.fanOutReferences, 'move']
  for (let waiting = 1; waiting > 0; )
    waiting = (await queries.one<{ waiting: number }>('SELECT waiting FROM fan_out_turn($1, $2)', values))?.waiting ?? 0
  // Without these indexes, all payloads would be sorted before the first one is read.
  await queries.script(`${PLACES_ON_POSTGRES};
    CREATE UNIQUE INDEX ON moved_place (pos); CREATE UNIQUE INDEX ON moved_place (entry); ANALYZE moved_place`)
}

export async function emptyTables(tx: Queries, tables: readonly MovedTable[]): Promise<void> {
  const names = [...tables.map(({ name }) => name), 'invite', 'outbox', 'log_end', 'device']
  await tx.script(`TRUNCATE ${names.join(', ')}`)
}

/**
 * Replaces the existing partitions: arriving rows may be below them.
 * `numbers`: of all partitions that receive rows.
 */
export async function makePartitions(tx: Queries, numbers: readonly number[]): Promise<void> {
  await tx.script(`
    DO $$ DECLARE part regclass; BEGIN
      FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent IN ('entry'::regclass, 'mailbox'::regclass) LOOP
        EXECUTE format('DROP TABLE %s', part);
      END LOOP;
    END $$`)
  for (const number of numbers) await tx.rows('SELECT make_partition($1)', [number])
}

/** After the move the floor counts in positions here too; below it there is nothing. */
const FIGURES = `
  SELECT (SELECT id FROM incarnation) AS incarnation, (SELECT pos FROM head) AS head,
    (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM key_package_num_seq) AS "keyPackages",
    CASE WHEN floor = 0 THEN 0
      ELSE coalesce((SELECT min(pos) FROM moved_place), (SELECT pos + 1 FROM head)) END AS floor,
    set_by_ms AS "setByMs", set_until_ms AS "setUntilMs" FROM retention`

export async function figuresInPostgres(tx: Queries): Promise<MovedFigures> {
  const figures = await tx.one<MovedFigures>(FIGURES)
  if (!figures) throw new TypeError('a relay without figures')
  return figures
}

/** New numbers must be above all that were ever assigned. */
const NUMBERS = `
  SELECT setval('account_num_seq', (SELECT coalesce(max(num), 0) + 1 FROM account), false),
    setval('chat_group_num_seq', (SELECT coalesce(max(num), 0) + 1 FROM chat_group), false),
    setval('entry_id_seq', (SELECT pos + 1 FROM head), false), setval('key_package_num_seq', $1::bigint + 1, false)`

export async function putInPostgres(tx: Queries, figures: MovedFigures): Promise<void> {
  const { incarnation, head, keyPackages, floor, setByMs, setUntilMs } = figures
  await tx.run('UPDATE incarnation SET id = $1', [Buffer.from(incarnation)])
  await tx.run('UPDATE head SET pos = $1', [head])
  await tx.run('UPDATE retention SET floor = $1, set_by_ms = $2, set_until_ms = $3', [floor, setByMs, setUntilMs])
  await tx.run('UPDATE account_total SET accounts = (SELECT count(*) FROM account)')
  await tx.rows(NUMBERS, [keyPackages])
}
