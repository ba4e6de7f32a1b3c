// Opens the relay's database file: exclusively, durably, and at the newest migration.
import { join } from 'node:path'
import {
  beginShrinkable,
  type Clock,
  CodedError,
  databaseLimits,
  type Log,
  makeShrinkable,
  type PagedDatabase,
  refuseDraft,
  systemFault,
} from '@postern/protocol'
import { checkedConnection, openConvinced, SteadySqlite, unusable } from '@postern/protocol/node'
import Database from 'better-sqlite3'
import { claimDataDirectory, DATABASE_NAME } from '../claim-directory.ts'
import { drafts, migrations } from './schema/migrations.ts'

export type Sqlite = Database.Database
export type SteadyDatabase = SteadySqlite<Sqlite>

const PAGE_BYTES = 4096

/** Throws `database-locked` if another process has opened it, `database-newer` or `database-too-old` if another version wrote it. */
export function openDatabase(directory: string, bytesMax: number, log?: Log): Sqlite {
  claimDataDirectory(directory, { kind: 'sqlite' })
  const open = () =>
    openAt(directory, bytesMax, db => {
      migrate(db, directory, log)
      makeShrinkable(pagesOf(db))
    })
  const check = () => checkedConnection(openRaw(directory, bytesMax))
  try {
    return openConvinced(join(directory, DATABASE_NAME), { open, check })
  } catch (cause) {
    throw openingError(directory, cause)
  }
}

/** Opens a database that is reopened after a storage fault. */
export function openSteadily(
  directory: string,
  { bytesMax, clock, log }: { bytesMax: number; clock: Clock; log: Log | undefined },
): SteadyDatabase {
  return new SteadySqlite(openDatabase(directory, bytesMax, log), {
    path: join(directory, DATABASE_NAME),
    open: () => openRaw(directory, bytesMax),
    monotonicMs: () => clock.monotonicMs(),
    onReopened: about => log?.warn(about, 'database reopened after a storage fault'),
  })
}

/** Only for preparing statements: they are compiled again for each connection. */
export const statementsOf = (db: SteadyDatabase): Sqlite => db as unknown as Sqlite

const openRaw = (directory: string, bytesMax: number): Sqlite => openAt(directory, bytesMax, () => undefined)

function openAt(directory: string, bytesMax: number, prepare: (db: Sqlite) => void): Sqlite {
  const db = new Database(join(directory, DATABASE_NAME), { timeout: 0 })
  try {
    db.pragma(`page_size = ${PAGE_BYTES}`)
    // The lock is held until the process ends: two relays on one file would each answer from their own memory.
    db.pragma('locking_mode = EXCLUSIVE')
    beginShrinkable(pagesOf(db))
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('temp_store = MEMORY')
    db.pragma('cache_size = -65536')
    db.pragma(`wal_autocheckpoint = ${databaseLimits.logPagesMax}`)
    db.pragma('journal_size_limit = 67108864')
    db.pragma(`max_page_count = ${Math.floor(bytesMax / PAGE_BYTES)}`)
    // SQLite notices another process only on a write.
    db.exec('BEGIN IMMEDIATE; COMMIT')
    prepare(db)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

function openingError(directory: string, cause: unknown): unknown {
  if (sqliteCodeOf(cause).startsWith('SQLITE_BUSY')) return new CodedError('database-locked', { directory }, { cause })
  return unusable(directory, cause)
}

/** For pragmas of the header: nothing else is read. Throws `database-unusable`. */
export function openFirstPage(directory: string): Sqlite {
  const db = openFile(directory, { fileMustExist: true })
  db.pragma('locking_mode = EXCLUSIVE')
  return db
}

/** Opens an existing database of any version, without changing it, and locks it. Throws `database-…`. */
export function openUnchanged(directory: string): Sqlite {
  const db = openFile(directory, { fileMustExist: true })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN IMMEDIATE; COMMIT')
    return db
  } catch (cause) {
    db.close()
    throw openingError(directory, cause)
  }
}

/**
 * Moves everything committed into the database's own file, which then does not change until the returned function is
 * called: for a copy of it. Commits continue in the meantime, only in the log, with full durability.
 */
export function holdFile(db: SteadyDatabase): () => void {
  emptyLog(db)
  db.pragma('wal_autocheckpoint = 0')
  db.hold(true)
  return () => {
    db.hold(false)
    if (db.open) db.pragma(`wal_autocheckpoint = ${databaseLimits.logPagesMax}`)
  }
}

export function emptyLog(db: Pick<Sqlite, 'pragma'>): void {
  const [done] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
  // The pragma reports this instead of throwing: a copy of the file would lack the content of the log.
  if (done?.busy !== 0) throw new CodedError('storage-failed')
}

/** Throws `database-newer` or `database-too-old` if this program does not know the version. */
export function schemaOf(db: Sqlite, directory: string): number {
  const done = versionOf(db, directory)
  const has = (table: string, column: string) =>
    (db.pragma(`table_info(${table})`) as { name: string }[]).some(({ name }) => name === column)
  refuseDraft(drafts, { schema: done, directory, has })
  return done
}

/** The number alone, which the first page has. Throws `database-newer`. */
export function versionOf(db: Sqlite, directory: string): number {
  const done = Number(db.pragma('user_version', { simple: true }))
  if (done > migrations.length) throw new CodedError('database-newer', { directory })
  return done
}

function openFile(directory: string, options: Database.Options = {}): Sqlite {
  try {
    return new Database(join(directory, DATABASE_NAME), { timeout: 0, ...options })
  } catch (cause) {
    throw unusable(directory, cause)
  }
}

export const pagesOf = (db: Pick<Sqlite, 'pragma' | 'exec'>): PagedDatabase => ({
  count: pragma => Number(db.pragma(pragma, { simple: true })),
  exec: sql => db.exec(sql),
})

/** The size of the file including its log, and the part in use. */
export function databaseBytes(db: Pick<Sqlite, 'pragma'>): { databaseBytes: number; databaseUsedBytes: number } {
  const pages = Number(db.pragma('page_count', { simple: true }))
  const free = Number(db.pragma('freelist_count', { simple: true }))
  return { databaseBytes: pages * PAGE_BYTES, databaseUsedBytes: (pages - free) * PAGE_BYTES }
}

/** Each step can take long in a large database: the log says which one runs. A new database has nothing to migrate. */
function migrate(db: Sqlite, directory: string, log: Log | undefined): void {
  const done = schemaOf(db, directory)
  // Without a new step, nothing is written: on a full disk the data can still be read.
  if (done === migrations.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const [at, step] of migrations.slice(done).entries()) {
      if (done > 0) log?.info({ schema: done + at + 1, newest: migrations.length }, 'database migration step started')
      db.exec(step)
    }
    db.pragma(`user_version = ${migrations.length}`)
    db.exec('COMMIT')
    if (done > 0) log?.info({ from: done, to: migrations.length }, 'database migrated')
  } catch (cause) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw cause
  }
}

const sqliteCodeOf = (error: unknown): string => (error instanceof Database.SqliteError ? error.code : '')

/** The error for a caller whose write failed. */
export function storageError(cause: unknown): CodedError {
  const fault = systemFault(cause)
  return fault instanceof CodedError ? fault : new CodedError('internal', {}, { cause })
}
