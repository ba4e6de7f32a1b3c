// The note of a move, in the database that the relay was moved away from.
import { CodedError } from '@postern/protocol'
import type { MoveNote } from '../../move-note.ts'
import type { Sqlite } from '../database.ts'

export function moveNoteIn(db: Sqlite): MoveNote | undefined {
  if (!hasTable(db)) return undefined
  return db.prepare<[], MoveNote>('SELECT state, place FROM relay_move').get()
}

/** In one transaction; undefined removes the note. */
export function putMoveNote(db: Sqlite, note: MoveNote | undefined): void {
  if (!note && !hasTable(db)) return
  db.transaction(() => {
    db.exec(`CREATE TABLE IF NOT EXISTS relay_move
      (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL, place TEXT NOT NULL) STRICT`)
    db.exec('DELETE FROM relay_move')
    if (note) db.prepare('INSERT INTO relay_move VALUES (1, ?, ?)').run(note.state, note.place)
  })()
}

/** Closes the database and throws `database-moved`: a relay started on the data left behind would serve stale state. */
export function refuseMoved(db: Sqlite, directory: string): void {
  const note = moveNoteIn(db)
  if (!note) return
  db.close()
  throw new CodedError('database-moved', { directory, place: note.place })
}

const hasTable = (db: Sqlite): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get('relay_move') !== undefined
