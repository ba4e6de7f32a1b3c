// The directory that holds one account: the key that encrypts the database, and the database.
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '@postern/protocol'
import type { Database } from './database.ts'
import { migrate } from './migrations.ts'
import { openSqlite } from './sqlite-node.ts'

const KEY_BYTES = 32
const DATABASE_FILE = 'core.db'
const KEY_FILE = 'db.key'

export function openDataDirectory(directory: string): Database {
  const path = join(directory, DATABASE_FILE)
  const key = existsSync(path) ? readKey(directory) : keyForNewDatabase(directory)
  let database: Database
  try {
    database = openSqlite(path, key)
  } catch (error) {
    throw openingError(error, directory)
  }
  try {
    migrate(database, directory)
  } catch (error) {
    database.close()
    throw error
  }
  return database
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
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (existsSync(join(directory, KEY_FILE))) return readKey(directory)
  const key = randomBytes(KEY_BYTES)
  const file = openSync(join(directory, KEY_FILE), 'wx', 0o600)
  try {
    writeSync(file, key)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  // Without this the file's name may not outlive a power cut that the database outlives.
  const parent = openSync(directory, 'r')
  try {
    fsyncSync(parent)
  } finally {
    closeSync(parent)
  }
  return key
}

function openingError(error: unknown, directory: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('SQLITE_BUSY')) return new CodedError('database-locked', { directory }, { cause: error })
  if (code === 'SQLITE_NOTADB') return new CodedError('database-key-wrong', { directory }, { cause: error })
  return error
}
