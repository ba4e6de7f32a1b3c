// The directory of one account: the database, and the key that encrypts it.
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
import { CodedError, makeShrinkable, refuseDraft, systemCodeOf, systemFault } from '@postern/protocol'
import { looksDamaged, makeDataDirectory, unusable } from '@postern/protocol/node'
import { type Database, pagesOf } from '../database.ts'
import { drafts, earlySteps } from '../schema/early-schemas.ts'
import { migrate, schemaOf } from '../schema/migrations.ts'
import { assertIntegrity } from '../sqlite/integrity.ts'
import { openSqlite, readFirstPage, type SqliteSurroundings } from '../sqlite/sqlite-node.ts'

const KEY_BYTES = 32
export const DATABASE_FILE = 'core.db'
export const KEY_FILE = 'db.key'
const OWN_FILES = [KEY_FILE, ...['', '-wal', '-shm', '-journal'].map(end => `${DATABASE_FILE}${end}`)]
const OWNER_ALONE = 0o600
const OPEN_TO_OTHERS = 0o077

/** Throws `database-…`, which says what is wrong with the directory and what to do about it. */
export function openDataDirectory(directory: string, around: SqliteSurroundings = {}): Database {
  try {
    return openDatabase(directory, around)
  } catch (error) {
    throw openingError(error, directory)
  }
}

/** Opens an existing database of any version, and changes nothing in it. Throws `database-…`. */
export function openUnchanged(directory: string): Database {
  try {
    const key = readKey(directory)
    return openSqlite(join(directory, DATABASE_FILE), key)
  } catch (error) {
    throw openingError(error, directory)
  }
}

/** Only what the first page has can be asked for: pragmas of the header. Throws `database-key-…`. */
export function openFirstPage(directory: string): Pick<Database, 'get' | 'close'> {
  try {
    return readFirstPage(join(directory, DATABASE_FILE), readKey(directory))
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
    knownSchema(database, directory)
    migrate(database, directory, { early: earlySteps, log: around.log })
    makeShrinkable(pagesOf(database))
  } catch (error) {
    const fault = looksDamaged(error) ? checkedFault(database, error) : error
    database.close()
    throw fault
  }
  return database
}

/** `database-damaged` only after a check has found it: a failed read looks the same. */
function checkedFault(database: Database, error: unknown): unknown {
  try {
    assertIntegrity(database)
    return systemFault(error)
  } catch (found) {
    return found
  }
}

/** Throws `database-newer`, and `database-too-old` for tables that no step leads on from. */
export function knownSchema(database: Database, directory: string): number {
  const schema = schemaOf(database, directory)
  const has = (table: string, column: string) =>
    database.all<{ name: string }>(`PRAGMA table_info(${table})`).some(({ name }) => name === column)
  refuseDraft(drafts, { schema, directory, has })
  return schema
}

/**
 * Regardless of the umask, and also in a directory that existed before:
 * SQLite would make the files readable for everyone.
 */
function closeToOthers(directory: string): void {
  // From here on, the files that SQLite keeps beside the database have the database's mode.
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

/** A key without a database belongs to a first start that was cut off: it is used, never overwritten. */
function keyForNewDatabase(directory: string): Uint8Array {
  makeDataDirectory(directory)
  const path = join(directory, KEY_FILE)
  if (!existsSync(path)) makeKey(path)
  // Without this, the file's name may not survive a power cut that the database survives.
  const parent = openSync(directory, 'r')
  try {
    fsyncSync(parent)
  } finally {
    closeSync(parent)
  }
  // Read from disk: of two first starts at the same moment, the other one's key may be the first.
  return readKey(directory)
}

/** Under its name the key is complete or absent: half a key, left by a full disk, would fail every later start. */
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

/** Unlike a rename, a link replaces no other file. Some file systems have no links. */
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
