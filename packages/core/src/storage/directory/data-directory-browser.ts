// The folder that holds one account in a browser: the database in the private file system, and its key beside it, wrapped.
import { CodedError, makeShrinkable, systemCodeOf, systemFault } from '@postern/protocol'
import { type Database, pagesOf } from '../database.ts'
import { migrate } from '../schema/migrations.ts'
import { browserFault, isNamed, removeFolder } from '../sqlite/opfs-browser.ts'
import { openPooledSqlite } from '../sqlite/sqlite-browser.ts'
import { openSqlitePool, type SqlitePool } from '../sqlite/sqlite-pool-browser.ts'
import { forgetKey, isKeyUsed, keepKey, keptKey, makeKey } from './key-keeper-browser.ts'

const DATABASE_FOLDER = 'database'

/** The encrypted database as it lies, and its key: what a backup seals under words of a person. */
export type DatabaseCopy = { database: Uint8Array; key: Uint8Array }

export interface OpenedDatabase {
  database: Database
  /** All that is committed by now. */
  copy(): Promise<DatabaseCopy>
  /** How large WebAssembly's memory has become. */
  memoryBytes(): number
}

/**
 * Throws `database-…`: what is wrong, and what to do about it. `restored` is a backup to begin with: refused as
 * `database-unusable` where there is an account already.
 */
export async function openBrowserDirectory(directory: string, restored?: DatabaseCopy): Promise<OpenedDatabase> {
  try {
    const pool = await openSqlitePool(`${directory}/${DATABASE_FOLDER}`)
    try {
      return await openIn(pool, { directory, restored })
    } catch (error) {
      pool.close()
      throw error
    }
  } catch (error) {
    throw openingError(error, directory)
  }
}

/** The key first: without it nothing opens what the browser may leave on the disk. */
export async function forgetDirectory(directory: string): Promise<void> {
  try {
    await forgetKey(directory)
    await removeFolder(directory)
  } catch (error) {
    throw openingError(error, directory)
  }
}

type Opening = { directory: string; restored: DatabaseCopy | undefined }

async function openIn(pool: SqlitePool, { directory, restored }: Opening): Promise<OpenedDatabase> {
  const key = restored ? await restore(pool, { directory, restored }) : await keyFor(pool, directory)
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
  return { database, copy, memoryBytes: () => pool.memoryBytes }
}

/** A key without a database: its first start was cut off, and it is used; or there was an account, which the browser has cleared. */
async function keyFor(pool: SqlitePool, directory: string): Promise<Uint8Array> {
  const kept = await keptKey(directory)
  if (!kept && pool.hasDatabase) throw new CodedError('database-key-missing', { directory })
  if (!pool.hasDatabase && (await isKeyUsed(directory))) throw new CodedError('database-missing', { directory })
  return kept ?? (await makeKey(directory))
}

/** The key comes last: a database without one is that of a restore that was cut off, and gives way to the next. */
async function restore(pool: SqlitePool, { directory, restored }: Required<Opening>): Promise<Uint8Array> {
  if (!restored) throw new CodedError('database-key-missing', { directory })
  const { database, key } = restored
  if (pool.hasDatabase && (await keptKey(directory)))
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
