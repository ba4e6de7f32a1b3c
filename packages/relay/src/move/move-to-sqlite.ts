// Moves a relay from PostgreSQL into a data directory,
// through a staging file that replaces the database once it is on disk.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, moveLimits } from '@postern/protocol'
import { InviteFiles } from '../invites/invite-files.ts'
import { INVITES_NAME } from '../store/claim-directory.ts'
import type { StoredInvite } from '../store/invite-store.ts'
import type { Queries } from '../store/postgres/connection/queries.ts'
import { postgresMoveNote, putPostgresMoveNote } from '../store/postgres/tools/move-note-rows.ts'
import type { Sqlite } from '../store/sqlite/database.ts'
import { MoveProgress } from './move-progress.ts'
import type { MoveContext } from './move-relay.ts'
import { hasArrived } from './move-to-postgres.ts'
import { PostgresEnd } from './postgres-end.ts'
import { figuresInPostgres, pagesInPostgres, prepareToLeave, rowsInPostgres } from './postgres-rows.ts'
import { addToSqlite, putInSqlite, tablesOf } from './sqlite-end.ts'
import { StagingDatabase } from './staging-database.ts'

/** Returns the number of moved rows. Throws `database-…`; the relay then stays where it was. */
export async function moveToSqlite(moving: MoveContext): Promise<number> {
  const source = await PostgresEnd.open(moving.address, moving.clock)
  try {
    const note = await postgresMoveNote(source.queries)
    if (note?.state === 'left') throw new CodedError('database-moved', { directory: source.place, place: note.place })
    const target = new StagingDatabase(moving.directory)
    try {
      return await move(moving, { source, target, isBegun: note !== undefined })
    } finally {
      target.close()
    }
  } finally {
    await source.close()
  }
}

type Ends = { source: PostgresEnd; target: StagingDatabase; isBegun: boolean }

async function move(moving: MoveContext, { source, target, isBegun }: Ends): Promise<number> {
  const { queries } = source
  const place = moving.directory
  await prepareToLeave(queries)
  const { incarnation } = await figuresInPostgres(queries)
  const isThere = hasArrived(target.look(incarnation), { place, isBegun })
  const rows = isThere ? 0 : await copy(moving, source, target)
  await putPostgresMoveNote(queries, { state: 'left', place })
  return rows
}

async function copy(moving: MoveContext, source: PostgresEnd, target: StagingDatabase): Promise<number> {
  const { queries } = source
  const db = target.open()
  await queries.script('BEGIN ISOLATION LEVEL REPEATABLE READ')
  const rows = await copyRows(moving, queries, db)
  putInSqlite(db, await figuresInPostgres(queries))
  const invites = await queries.rows<StoredInvite>(INVITES)
  await queries.script('COMMIT')
  target.sync()
  // A relay that was disconnected and has reconnected may have written rows that are in no copy.
  const refusal = await source.inUse()
  if (refusal) throw refusal
  // From here on no relay continues at the old place; an interrupted move is run again.
  await putPostgresMoveNote(queries, { state: 'leaving', place: moving.directory })
  await putInvites(moving.directory, invites)
  await target.takePlace()
  return rows
}

async function copyRows({ output, clock }: MoveContext, source: Queries, db: Sqlite): Promise<number> {
  const tables = tablesOf(db)
  let all = 0
  for (const table of tables) all += await rowsInPostgres(source, table)
  const progress = new MoveProgress(all, { output, clock })
  for (const table of tables)
    for await (const page of pagesInPostgres(source, table, moveLimits.rowsPerPage)) {
      addToSqlite(db, table, page)
      progress.add(page.length, table.name)
    }
  progress.end()
  return progress.rows
}

const INVITES = 'SELECT hash, uses_max AS "usesMax", expires_ms AS "expiresMs" FROM invite ORDER BY hash'

/** Replaces the existing invites: one that was revoked in the meantime must not come back. */
async function putInvites(directory: string, invites: readonly StoredInvite[]): Promise<void> {
  rmSync(join(directory, INVITES_NAME), { recursive: true, force: true })
  const files = new InviteFiles(directory)
  for (const invite of invites) await files.put(invite)
}
