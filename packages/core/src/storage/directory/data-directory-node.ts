// The directory that holds one account: the key that encrypts the database, and the database.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { CodedError, makeShrinkable, systemCodeOf } from '@postern/protocol'
import { makeDataDirectory, unusable } from '@postern/protocol/node'
import { type Database, pagesOf } from '../database.ts'
import { migrate } from '../schema/migrations.ts'
import { openSqlite, type SqliteSurroundings } from '../sqlite/sqlite-node.ts'

const KEY_BYTES = 32
export const DATABASE_FILE = 'core.db'
export const KEY_FILE = 'db.key'
const OWN_FILES = [KEY_FILE, ...['', '-wal', '-shm', '-journal'].map(end => `${DATABASE_FILE}${end}`)]
const OWNER_ALONE = 0o600
const OPEN_TO_OTHERS = 0o077

/** Throws `database-…`: what is wrong with the directory, and what to do about it. */
export function openDataDirectory(directory: string, around: SqliteSurroundings = {}): Database {
  try {
    return openDatabase(directory, around)
  } catch (error) {
    throw openingError(error, directory)
  }
}

/** A database that is there, at whatever version it is, and nothing is changed in it. Throws `database-…`. */
export function openUnchanged(directory: string): Database {
  try {
    const key = readKey(directory)
    return openSqlite(join(directory, DATABASE_FILE), key)
  } catch (error) {
    throw openingError(error, directory)
  }
}

function openDatabase(directory: string, around: SqliteSurroundings): Database {
  const path = join(directory, DATABASE_FILE)
  const key = existsSync(path) ? readKey(directory) : keyForNewDatabase(directory)
  closeToOthers(directory)
  const database = openSqlite(path, key, around)
  try {
    migrate(database, directory)
    makeShrinkable(pagesOf(database))
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** Whatever the umask is, and also in a directory that somebody made before: SQLite would make them for everybody to read. */
function closeToOthers(directory: string): void {
  // What SQLite keeps beside the database has the database's mode from here on.
  closeSync(openSync(join(directory, DATABASE_FILE), 'a', OWNER_ALONE))
  for (const name of OWN_FILES) {
    const path = join(directory, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isFile() && (found.mode & OPEN_TO_OTHERS) !== 0) chmodSync(path, OWNER_ALONE)
  }
}

function readKey(directory: string): Uint8Array {
  const path = join(directory, KEY_FILE)
  if (!existsSync(path)) throw new CodedError('database-key-missing', { directory })
  const key = readFileSync(path)
  if (key.length !== KEY_BYTES) throw new CodedError('database-key-wrong', { directory })
  return key
}

/** A key without a database is one whose first start was cut off: it is used, never overwritten. */
function keyForNewDatabase(directory: string): Uint8Array {
  makeDataDirectory(directory)
  const path = join(directory, KEY_FILE)
  if (!existsSync(path)) makeKey(path)
  // Without this the file's name may not outlive a power cut that the database outlives.
  const parent = openSync(directory, 'r')
  try {
    fsyncSync(parent)
  } finally {
    closeSync(parent)
  }
  // As it stands there: of two first starts at the same moment, the other one's key may be the first.
  return readKey(directory)
}

/** Under its name it is whole or not there at all: half a key, left by a full disk, would keep every later start out. */
function makeKey(path: string): void {
  const key = randomBytes(KEY_BYTES)
  const unnamed = `${path}.${randomBytes(4).toString('hex')}`
  try {
    const file = openSync(unnamed, 'wx', 0o600)
    try {
      for (let written = 0; written < key.length; ) written += writeSync(file, key, written)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    giveName(unnamed, path)
  } finally {
    rmSync(unnamed, { force: true })
  }
}

/** Unlike a renaming, a link takes nobody's place. Some file systems have none. */
function giveName(unnamed: string, path: string): void {
  try {
    linkSync(unnamed, path)
  } catch {
    if (!existsSync(path)) renameSync(unnamed, path)
  }
}

function openingError(error: unknown, directory: string): unknown {
  const code = systemCodeOf(error)
  if (code.startsWith('SQLITE_BUSY')) return new CodedError('database-locked', { directory }, { cause: error })
  if (code === 'SQLITE_NOTADB') return new CodedError('database-key-wrong', { directory }, { cause: error })
  return unusable(directory, error)
}
