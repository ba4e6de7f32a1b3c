// The note of a move in the database that a relay was moved away from, and the lock of a running move.
import { CodedError } from '@postern/protocol'
import type { MoveNote } from '../../move-note.ts'
import type { Queries } from '../connection/queries.ts'

/** Held exclusively by a move, and checked by every relay that starts. */
export const MOVE_LOCK = '(7, 1)'

export async function postgresMoveNote(queries: Queries): Promise<MoveNote | undefined> {
  if (!(await hasTable(queries))) return undefined
  return await queries.one<MoveNote>('SELECT state, place FROM relay_move')
}

/** Undefined removes the note. */
export async function putPostgresMoveNote(queries: Queries, note: MoveNote | undefined): Promise<void> {
  if (!note && !(await hasTable(queries))) return
  await queries.run(`CREATE TABLE IF NOT EXISTS relay_move
    (one boolean PRIMARY KEY DEFAULT true CHECK (one), state text NOT NULL, place text NOT NULL)`)
  if (!note) {
    await queries.run('DELETE FROM relay_move')
    return
  }
  await queries.run(
    `INSERT INTO relay_move (state, place) VALUES ($1, $2)
     ON CONFLICT (one) DO UPDATE SET state = excluded.state, place = excluded.place`,
    [note.state, note.place],
  )
}

/** Throws `database-moving` during a move, and `database-moved` afterwards. */
export async function refuseMovedDatabase(queries: Queries, place: string): Promise<void> {
  const lock = await queries.one<{ isFree: boolean }>(`SELECT pg_try_advisory_xact_lock_shared${MOVE_LOCK} AS "isFree"`)
  if (!lock?.isFree) throw new CodedError('database-moving', { place })
  const note = await postgresMoveNote(queries)
  if (note) throw new CodedError('database-moved', { directory: place, place: note.place })
}

async function hasTable(queries: Queries): Promise<boolean> {
  const found = await queries.one<{ isThere: boolean }>('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [
    'relay_move',
  ])
  return found?.isThere ?? false
}
