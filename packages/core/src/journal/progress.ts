// The progress of this database in two numbers that the relay keeps: they reveal a copy from a backup.
import type { Database } from '../storage/database.ts'
import { newestEventId } from '../storage/transactions/event-ids.ts'
import type { Store } from '../storage/transactions/store.ts'

/**
 * `cursor`: the place in the mailbox.
 * `mark`: rises with every event that was handed out and every message that was encrypted.
 */
export type ReadProgress = { cursor: number; mark: number }

type Mailbox = { cursor: number; encrypted: number }
const MAILBOX = 'SELECT cursor, encrypted FROM mailbox'

const mailboxOf = (reads: Pick<Store, 'get'>): Mailbox => reads.get<Mailbox>(MAILBOX) ?? { cursor: 0, encrypted: 0 }

export function progressOf(reads: Pick<Store, 'get'>): ReadProgress {
  const { cursor, encrypted } = mailboxOf(reads)
  return { cursor, mark: encrypted + newestEventId(reads) }
}

/** Called in the transaction that uses up a key: a copy that does not know of it must not use it again. */
export function noteEncrypted(database: Database): void {
  const { cursor, encrypted } = mailboxOf(database)
  database.run('UPDATE mailbox SET encrypted = encrypted + 1')
  database.know?.(MAILBOX, { cursor, encrypted: encrypted + 1 })
}

/**
 * False if the cursor is not at the place before the entry:
 * an entry whose predecessor was not written is not written either.
 */
export function moveCursor(database: Database, { from, to }: { from: number; to: number }): boolean {
  const { encrypted } = mailboxOf(database)
  if (database.run('UPDATE mailbox SET cursor = ? WHERE cursor = ?', to, from).changes !== 1) return false
  database.know?.(MAILBOX, { cursor: to, encrypted })
  return true
}

/** The relay's mailbox ends before the place that was read. */
export function rewindCursor(database: Database, cursor: number): void {
  database.run('UPDATE mailbox SET cursor = ?', cursor)
}

/**
 * The relay at another address may have another mailbox:
 * reading continues at that mailbox's cursor, unless it is ahead of ours.
 */
export function lowerCursors(database: Database, cursor: number): void {
  database.run('UPDATE mailbox SET cursor = min(cursor, ?), restored_cursor = min(restored_cursor, ?)', cursor, cursor)
}

/** The relay's cursor for this account when it was last recovered: entries up to there are not news. */
export const restoredCursor = (reads: Pick<Store, 'get'>): number =>
  reads.get<{ cursor: number }>('SELECT restored_cursor AS cursor FROM mailbox')?.cursor ?? 0

export function noteRestored(database: Database, cursor: number): void {
  database.run('UPDATE mailbox SET restored_cursor = ?', cursor)
}
