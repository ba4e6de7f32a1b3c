// Encrypted SQLite in a browser's worker, with AEGIS pages as in Node: a file of either opens in the other with its
// key.
import type { Database as Connection, PreparedStatement, Sqlite3Static } from '@evolu/sqlite-wasm'
import { beginShrinkable, CodedError } from '@postern/protocol'
import type { Database, SqlValue } from '../database.ts'
import { type RowReader, rowReader } from './read-columns-browser.ts'
import { hasSeenFullQuota, type SqlitePool } from './sqlite-pool-browser.ts'

/** Throws SQLite's own error with better-sqlite3's name for it: SQLITE_NOTADB for a wrong key. */
export function openPooledSqlite(pool: SqlitePool, key: Uint8Array): Database {
  const { sqlite3 } = pool
  const connection = pool.connect()
  try {
    connection.exec("PRAGMA cipher='aegis'")
    connection.exec(`PRAGMA key='raw:${hex(key)}'`)
    // Before the first read: otherwise the write-ahead log would need shared memory, which the pool does not have.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    // As in Node. The default of this build is twice as large, and every commit would write twice as much.
    connection.exec('PRAGMA page_size = 4096')
    beginShrinkable({
      count: pragma => Number(connection.selectValue(`PRAGMA ${pragma}`)),
      exec: sql => connection.exec(sql),
    })
    connection.exec('PRAGMA journal_mode = WAL')
    connection.exec('PRAGMA synchronous = FULL')
    connection.exec('PRAGMA temp_store = MEMORY')
    connection.exec('PRAGMA secure_delete = ON')
    connection.exec('BEGIN EXCLUSIVE; COMMIT')
  } catch (error) {
    connection.close()
    throw named(sqlite3, error)
  }
  return new BrowserDatabase(pool, connection)
}

type Prepared = { statement: PreparedStatement; columns: string[] }

class BrowserDatabase implements Database {
  readonly #pool: SqlitePool
  readonly #connection: Connection
  readonly #statements = new Map<string, Prepared>()
  readonly #read: RowReader
  #waits = true

  constructor(pool: SqlitePool, connection: Connection) {
    this.#pool = pool
    this.#connection = connection
    this.#read = rowReader(pool.sqlite3)
  }

  exec(sql: string): void {
    if (sql === 'COMMIT') {
      this.#rows(sql, [])
      this.#pool.committed()
    } else if (sql === 'BEGIN IMMEDIATE' || sql === 'ROLLBACK') this.#rows(sql, [])
    else this.#named(() => this.#connection.exec(sql))
  }

  run(sql: string, ...values: SqlValue[]): { changes: number; lastId: number } {
    this.#rows(sql, values)
    const { capi } = this.#pool.sqlite3
    return {
      changes: capi.sqlite3_changes(this.#connection),
      lastId: Number(capi.sqlite3_last_insert_rowid(this.#connection)),
    }
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#rows<Row>(sql, values, 1)[0]
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#rows<Row>(sql, values)
  }

  waitForDisk(wait: boolean): void {
    if (wait === this.#waits) return
    this.exec(`PRAGMA synchronous = ${wait ? 'FULL' : 'NORMAL'}`)
    this.#waits = wait
  }

  emptyLog(): void {
    const done = this.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')
    // SQLite reports this instead of throwing: deleted data would stay in the log unnoticed.
    if (done?.busy !== 0) throw new CodedError('storage-failed')
  }

  findDamage(): string | undefined {
    const found = this.get<{ integrity_check: string }>('PRAGMA integrity_check(1)')?.integrity_check
    return found === 'ok' ? undefined : found
  }

  /** Closes the pool, too: the next worker needs its files. */
  close(): void {
    for (const { statement } of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    this.#connection.close()
    this.#pool.close()
  }

  #rows<Row>(sql: string, values: SqlValue[], rowsMax = Infinity): Row[] {
    return this.#named(() => {
      const { statement, columns } = this.#statement(sql)
      const rows: Row[] = []
      try {
        if (values.length > 0) statement.bind(values)
        while (rows.length < rowsMax && statement.step()) rows.push(this.#read(statement, columns) as Row)
        return rows
      } finally {
        statement.reset(true)
      }
    })
  }

  #statement(sql: string): Prepared {
    let prepared = this.#statements.get(sql)
    if (!prepared) {
      const statement = this.#connection.prepare(sql)
      prepared = { statement, columns: statement.columnCount > 0 ? statement.getColumnNames([]) : [] }
      this.#statements.set(sql, prepared)
    }
    return prepared
  }

  #named<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw named(this.#pool.sqlite3, error)
    }
  }
}

/**
 * better-sqlite3 puts the code's name on its errors, where the store reads it. Here, a lack of space is an I/O error.
 */
function named(sqlite3: Sqlite3Static, error: unknown): unknown {
  const isOutOfRoom = hasSeenFullQuota()
  if (!(error instanceof sqlite3.SQLite3Error)) return error
  const name = sqlite3.capi.sqlite3_js_rc_str(error.resultCode) ?? `SQLITE_${error.resultCode}`
  const code = isOutOfRoom && /^SQLITE_(IOERR|CANTOPEN)/.test(name) ? 'SQLITE_FULL' : name
  return Object.assign(error, { code })
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
