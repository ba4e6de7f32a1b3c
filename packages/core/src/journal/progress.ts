// How far this database has come, in two numbers that the relay keeps: a copy from a backup is found out by them.
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/store.ts'

/** `cursor`: what was read of the mailbox. `mark`: rises with every event that was given out and every message that was encrypted. */
export type Progress = { cursor: number; mark: number }

export function progressOf(reads: Pick<Store, 'get'>): Progress {
  const row = reads.get<Progress>(
    `SELECT cursor, encrypted + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'journal'), 0) AS mark
     FROM mailbox`,
  )
  return row ?? { cursor: 0, mark: 0 }
}

/** In the transaction that uses up a key: a copy that does not know of it must not use it again. */
export function noteEncrypted(database: Database): void {
  database.run('UPDATE mailbox SET encrypted = encrypted + 1')
}
