// Encrypted SQLite on a file: better-sqlite3 with AEGIS pages, locked to this process.
import { CodedError, databaseLimits } from '@postern/protocol'
import Sqlite from 'better-sqlite3-multiple-ciphers'
import type { Database, SqlValue } from './database.ts'
import { keepRows } from './kept-rows.ts'

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
    sqlite.pragma(`wal_autocheckpoint = ${databaseLimits.logPagesMax}`)
    sqlite.pragma('temp_store = MEMORY')
    sqlite.pragma('secure_delete = ON')
    sqlite.exec('BEGIN EXCLUSIVE; COMMIT')
  } catch (error) {
    sqlite.close()
    throw error
  }
  return keepRows(new NodeDatabase(sqlite))
}

class NodeDatabase implements Database {
  readonly #sqlite: Sqlite.Database
  readonly #statements = new Map<string, Prepared>()
  #waits = true

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite
  }

  exec(sql: string): void {
    if (sql === 'BEGIN IMMEDIATE' || sql === 'COMMIT' || sql === 'ROLLBACK') this.#statement(sql).statement.run()
    else this.#sqlite.exec(sql)
  }

  run(sql: string, ...values: SqlValue[]): { changes: number; lastId: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).statement.run(...values)
    return { changes, lastId: Number(lastInsertRowid) }
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    const { statement, bytes } = this.#statement(sql)
    const row = statement.get(...values) as Row | undefined
    return row === undefined || bytes.length === 0 ? row : withPlainBytes(row, bytes)
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    const { statement, bytes } = this.#statement(sql)
    const rows = statement.all(...values) as Row[]
    return bytes.length === 0 ? rows : rows.map(row => withPlainBytes(row, bytes))
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

  #statement(sql: string): Prepared {
    let prepared = this.#statements.get(sql)
    if (!prepared) {
      const statement = this.#sqlite.prepare(sql)
      prepared = { statement, bytes: statement.reader ? byteColumns(statement) : [] }
      this.#statements.set(sql, prepared)
    }
    return prepared
  }
}

/** `bytes`: the columns in which there may be some. Looked for in every column, they would be half the time of a long list. */
type Prepared = { statement: Sqlite.Statement; bytes: string[] }

/** Tables are strict: what was declared as text or a number is never bytes. Of an expression nothing is declared. */
const byteColumns = (statement: Sqlite.Statement): string[] =>
  statement
    .columns()
    .filter(({ type }) => type !== 'TEXT' && type !== 'INTEGER')
    .map(({ name }) => name)

/** Buffers behave unlike other byte arrays (their `slice` is a view): none leaves this file. */
function withPlainBytes<Row>(row: Row, bytes: string[]): Row {
  const columns = row as Record<string, unknown>
  for (const name of bytes) {
    const value = columns[name]
    if (Buffer.isBuffer(value)) columns[name] = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  }
  return row
}
