// Encrypted SQLite on a file: better-sqlite3 with AEGIS pages, locked to this process.
import { CodedError } from '@postern/protocol'
import Sqlite from 'better-sqlite3-multiple-ciphers'
import type { Database, SqlValue } from './database.ts'

const BUSY_TIMEOUT_MS = 0

/** Throws SQLite's own error: SQLITE_NOTADB for a wrong key, SQLITE_BUSY when another process holds the file. */
export function openSqlite(path: string, key: Uint8Array): Database {
  const sqlite = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    sqlite.pragma("cipher='aegis'")
    sqlite.pragma(`key='raw:${Buffer.from(key).toString('hex')}'`)
    // Before the first read: in exclusive mode a second process is refused instead of writing beside this one.
    sqlite.pragma('locking_mode = EXCLUSIVE')
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('temp_store = MEMORY')
    sqlite.pragma('secure_delete = ON')
    sqlite.exec('BEGIN EXCLUSIVE; COMMIT')
  } catch (error) {
    sqlite.close()
    throw error
  }
  return new NodeDatabase(sqlite)
}

class NodeDatabase implements Database {
  readonly #sqlite: Sqlite.Database
  readonly #statements = new Map<string, Sqlite.Statement>()
  #waits = true

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite
  }

  exec(sql: string): void {
    if (sql === 'BEGIN IMMEDIATE' || sql === 'COMMIT' || sql === 'ROLLBACK') this.#statement(sql).run()
    else this.#sqlite.exec(sql)
  }

  run(sql: string, ...values: SqlValue[]): { changes: number; lastId: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values)
    return { changes, lastId: Number(lastInsertRowid) }
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    const row = this.#statement(sql).get(...values)
    return row === undefined ? undefined : withPlainBytes(row as Row)
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#statement(sql)
      .all(...values)
      .map(row => withPlainBytes(row as Row))
  }

  waitForDisk(wait: boolean): void {
    if (wait === this.#waits) return
    this.#sqlite.pragma(`synchronous = ${wait ? 'FULL' : 'NORMAL'}`)
    this.#waits = wait
  }

  emptyLog(): void {
    const [done] = this.#sqlite.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    // It says so instead of throwing: what was deleted would stay in the log, and nobody would know.
    if (done?.busy !== 0) throw new CodedError('storage-failed')
  }

  close(): void {
    this.#sqlite.close()
  }

  #statement(sql: string): Sqlite.Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#sqlite.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}

/** Buffers behave unlike other byte arrays (their `slice` is a view): none leaves this file. */
function withPlainBytes<Row>(row: Row): Row {
  const columns = row as Record<string, unknown>
  for (const name in columns) {
    const value = columns[name]
    if (Buffer.isBuffer(value)) columns[name] = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  }
  return row
}
