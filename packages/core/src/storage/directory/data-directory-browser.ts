// The folder of one account in a browser: the database in the private file system, and its key beside it, wrapped.
import { CodedError, makeShrinkable, systemCodeOf, systemFault } from '@postern/protocol'
import { type Database, pagesOf } from '../database.ts'
import { migrate } from '../schema/migrations.ts'
import { browserFault, isNamed, removeFolder } from '../sqlite/opfs-browser.ts'
import { openPooledSqlite } from '../sqlite/sqlite-browser.ts'
import { openSqlitePool, type SqlitePool } from '../sqlite/sqlite-pool-browser.ts'
import {
  forgetKey,
  hasKey,
  isKeyUsed,
  keepKey,
  keptKey,
  keyLockState,
  makeKey,
  setKeyLock,
} from './key-keeper-browser.ts'

const DATABASE_FOLDER = 'database'

/** The encrypted database as it is on disk, and its key: a backup seals both under words of a person. */
export type DatabaseCopy = { database: Uint8Array; key: Uint8Array }

export interface OpenedDatabase {
  database: Database
  /** Everything that is committed by now. */
  copy(): Promise<DatabaseCopy>
  /** The current size of WebAssembly's memory. */
  memoryBytes(): number
  readonly lock: DirectoryLock
}

/** The passphrase without which the database cannot be opened. */
export interface DirectoryLock {
  isSet(): Promise<boolean>
  /** Durable when it resolves. Without a passphrase the database opens without one again. */
  set(passphrase: string | undefined): Promise<void>
  /** Throws `passphrase-wrong`. */
  assertMatches(passphrase: string): Promise<void>
}

export type DirectoryOpening = {
  /** A backup to start with: refused as `database-unusable` where there is an account already. */
  restored?: DatabaseCopy | undefined
  passphrase?: string | undefined
}

/**
 * Throws `database-…`, which says what is wrong and what to do about it, `passphrase-needed` for a locked database, and
 * `passphrase-wrong`.
 */
export async function openBrowserDirectory(directory: string, opening: DirectoryOpening = {}): Promise<OpenedDatabase> {
  try {
    const pool = await openSqlitePool(`${directory}/${DATABASE_FOLDER}`)
    try {
      return await openIn(pool, { directory, ...opening })
    } catch (error) {
      pool.close()
      throw error
    }
  } catch (error) {
    throw openingError(error, directory)
  }
}

/** The key first: without it, nothing opens the files that the browser may leave on the disk. */
export async function forgetDirectory(directory: string): Promise<void> {
  try {
    await forgetKey(directory)
    await removeFolder(directory)
  } catch (error) {
    throw openingError(error, directory)
  }
}

type Opening = DirectoryOpening & { directory: string }

async function openIn(pool: SqlitePool, opening: Opening): Promise<OpenedDatabase> {
  const { directory, restored } = opening
  const key = restored ? await restore(pool, { directory, restored }) : await keyFor(pool, opening)
  const database = openPooledSqlite(pool, key)
  try {
    migrate(database, directory)
    makeShrinkable(pagesOf(database))
  } catch (error) {
    database.close()
    throw error
  }
  const copy = async () => {
    database.emptyLog()
    return { database: await pool.exported(), key: key.slice() }
  }
  const lock: DirectoryLock = {
    isSet: async () => (await keyLockState(directory)).isSet,
    set: async passphrase => await setKeyLock(directory, key, passphrase),
    assertMatches: async passphrase => void (await keptKey(directory, passphrase)),
  }
  return { database, copy, memoryBytes: () => pool.memoryBytes, lock }
}

/**
 * A key without a database: its first start was cut off, and it is used;
 * or the browser has cleared the database of an account.
 */
async function keyFor(pool: SqlitePool, { directory, passphrase }: Opening): Promise<Uint8Array> {
  const kept = await keptKey(directory, passphrase)
  if (!kept && pool.hasDatabase) throw new CodedError('database-key-missing', { directory })
  if (!pool.hasDatabase && (await isKeyUsed(directory))) throw new CodedError('database-missing', { directory })
  return kept ?? (await makeKey(directory))
}

type Restoring = { directory: string; restored: DatabaseCopy }

/**
 * The key comes last: a database without one belongs to a restore that was cut off, and the next restore replaces it.
 */
async function restore(pool: SqlitePool, { directory, restored }: Restoring): Promise<Uint8Array> {
  const { database, key } = restored
  if (pool.hasDatabase && (await hasKey(directory)))
    throw new CodedError('database-unusable', { directory, why: 'there is an account already' })
  await pool.replace(database)
  await keepKey(directory, key)
  return key
}

function openingError(error: unknown, directory: string): unknown {
  if (isNamed(error, 'NoModificationAllowedError'))
    return new CodedError('database-locked', { directory }, { cause: error })
  if (systemCodeOf(error) === 'SQLITE_NOTADB')
    return new CodedError('database-key-wrong', { directory }, { cause: error })
  return systemFault(browserFault(error))
}
