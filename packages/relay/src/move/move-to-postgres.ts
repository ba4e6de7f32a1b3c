// Moves a relay from its data directory to PostgreSQL, in one transaction, so that all of it arrives or nothing.
import { CodedError, moveLimits } from '@postern/protocol'
import { InviteFiles } from '../invites/invite-files.ts'
import type { Queries } from '../store/postgres/connection/queries.ts'
import { isAnswer } from '../store/postgres/connection/storage-error.ts'
import { putPostgresMoveNote } from '../store/postgres/tools/move-note-rows.ts'
import type { Sqlite } from '../store/sqlite/database.ts'
import { moveNoteIn, putMoveNote } from '../store/sqlite/tools/move-note-rows.ts'
import { MoveProgress } from './move-progress.ts'
import type { MoveContext } from './move-relay.ts'
import type { TargetState } from './moved-figures.ts'
import type { MovedTable } from './moved-tables.ts'
import { PostgresEnd } from './postgres-end.ts'
import { addToPostgres, emptyTables, makePartitions, putInPostgres } from './postgres-rows.ts'
import { figuresInSqlite, openSource, pagesInSqlite, partitionsFor, rowsInSqlite, tablesOf } from './sqlite-end.ts'

/** Returns the number of moved rows. Throws `database-…`; the relay then stays where it was. */
export async function moveToPostgres(moving: MoveContext): Promise<number> {
  const source = openSource(moving.directory)
  try {
    const note = moveNoteIn(source)
    if (note?.state === 'left')
      throw new CodedError('database-moved', { directory: moving.directory, place: note.place })
    const target = await PostgresEnd.open(moving.address, moving.clock)
    try {
      return await move(moving, { source, target, isBegun: note !== undefined })
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

type Ends = { source: Sqlite; target: PostgresEnd; isBegun: boolean }

async function move(moving: MoveContext, { source, target, isBegun }: Ends): Promise<number> {
  const { queries, place } = target
  const found = await target.find(figuresInSqlite(source).incarnation)
  const rows = hasArrived(found, { place, isBegun }) ? 0 : await copy(moving, { source, queries, place })
  putMoveNote(source, { state: 'left', place })
  // Otherwise PostgreSQL plans for empty tables until the next automatic analysis.
  await queries.script('ANALYZE')
  return rows
}

/** True after a move that was interrupted at its very end. Throws `database-not-empty` if something else is there. */
export function hasArrived(found: TargetState, { place, isBegun }: { place: string; isBegun: boolean }): boolean {
  if (found === 'another relay' || (found === 'the same relay' && !isBegun))
    throw new CodedError('database-not-empty', { place })
  return found === 'the same relay'
}

type Way = { source: Sqlite; queries: Queries; place: string }

async function copy(moving: MoveContext, { source, queries, place }: Way): Promise<number> {
  await queries.script('BEGIN')
  const tables = tablesOf(source)
  const rows = await copyRows(moving, { source, queries, tables })
  await copyInvites(moving.directory, queries)
  await putInPostgres(queries, figuresInSqlite(source))
  await putPostgresMoveNote(queries, undefined)
  // From here on no relay continues at the old place, even if the answer to the commit is lost.
  putMoveNote(source, { state: 'leaving', place })
  try {
    await queries.script('COMMIT')
  } catch (error) {
    if (error instanceof CodedError && isAnswer(error.cause)) putMoveNote(source, undefined)
    throw error
  }
  return rows
}

type Copying = { source: Sqlite; queries: Queries; tables: readonly MovedTable[] }

async function copyRows({ output, clock }: MoveContext, { source, queries, tables }: Copying): Promise<number> {
  await emptyTables(queries, tables)
  await makePartitions(queries, partitionsFor(source))
  const all = tables.reduce((sum, table) => sum + rowsInSqlite(source, table), 0)
  const progress = new MoveProgress(all, { output, clock })
  for (const table of tables)
    for (const page of pagesInSqlite(source, table, moveLimits.rowsPerPage)) {
      await addToPostgres(queries, table, page)
      progress.add(page.length, table.name)
    }
  progress.end()
  return progress.rows
}

async function copyInvites(directory: string, queries: Queries): Promise<void> {
  for (const { hash, usesMax, expiresMs } of await new InviteFiles(directory).list())
    await queries.run('INSERT INTO invite (hash, uses_max, expires_ms) VALUES ($1, $2, $3)', [hash, usesMax, expiresMs])
}
