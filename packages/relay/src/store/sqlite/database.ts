// Opens the relay's database file: alone, durable, and at the newest migration.
import { join } from 'node:path'
import { CodedError, systemFault } from '@postern/protocol'
import { unusable } from '@postern/protocol/node'
import Database from 'better-sqlite3-multiple-ciphers'
import { claimDataDirectory, DATABASE_NAME } from '../data-directory.ts'
import { migrations } from './migrations.ts'

export type Sqlite = Database.Database

const PAGE_BYTES = 4096

/** Throws `database-locked` when another process has it, `database-newer` when a newer version wrote it. */
export function openDatabase(directory: string, bytesMax: number): Sqlite {
  claimDataDirectory(directory)
  const db = openFile(directory)
  try {
    db.pragma(`page_size = ${PAGE_BYTES}`)
    // The lock is held until the process ends: two relays on one file would each answer from their own memory.
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('temp_store = MEMORY')
    db.pragma('cache_size = -65536')
    db.pragma('wal_autocheckpoint = 4000')
    db.pragma('journal_size_limit = 67108864')
    db.pragma(`max_page_count = ${Math.floor(bytesMax / PAGE_BYTES)}`)
    // Another process is seen only by who wants to write.
    db.exec('BEGIN IMMEDIATE; COMMIT')
    migrate(db, directory)
    return db
  } catch (cause) {
    db.close()
    if (sqliteCodeOf(cause).startsWith('SQLITE_BUSY')) throw new CodedError('database-locked', { directory }, { cause })
    throw unusable(directory, cause)
  }
}

function openFile(directory: string): Sqlite {
  try {
    return new Database(join(directory, DATABASE_NAME), { timeout: 0 })
  } catch (cause) {
    throw unusable(directory, cause)
  }
}

function migrate(db: Sqlite, directory: string): void {
  const done = Number(db.pragma('user_version', { simple: true }))
  if (done > migrations.length) throw new CodedError('database-newer', { directory })
  // Nothing is written when nothing is new: on a full disk what is there can still be read.
  if (done === migrations.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const step of migrations.slice(done)) db.exec(step)
    db.pragma(`user_version = ${migrations.length}`)
    db.exec('COMMIT')
  } catch (cause) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw cause
  }
}

const sqliteCodeOf = (error: unknown): string => (error instanceof Database.SqliteError ? error.code : '')

/** What a caller is told when a write failed. */
export function storageError(cause: unknown): CodedError {
  const fault = systemFault(cause)
  return fault instanceof CodedError ? fault : new CodedError('internal', {}, { cause })
}
