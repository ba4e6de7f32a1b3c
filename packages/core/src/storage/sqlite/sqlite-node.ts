// Encrypted SQLite on a file: better-sqlite3 with AEGIS pages, locked to this process.
import {
  beginShrinkable,
  type Clock,
  CodedError,
  databaseLimits,
  type Log,
  silentLog,
  systemClock,
} from '@postern/protocol'
import { checkedConnection, openConvinced, SteadySqlite } from '@postern/protocol/node'
import Sqlite from 'better-sqlite3-multiple-ciphers'
import type { Database, SqlValue } from '../database.ts'
import { withWholeLog } from './recovered-log-node.ts'
import { withRowCache } from './row-cache.ts'

const BUSY_TIMEOUT_MS = 0

export type SqliteSurroundings = { clock?: Clock | undefined; log?: Log | undefined }

/**
 * Throws SQLite's own error: SQLITE_NOTADB for a wrong key, SQLITE_BUSY when another process holds the file. Opens the
 * file again after a fault of the disk.
 */
export function openSqlite(path: string, key: Uint8Array, around: SqliteSurroundings = {}): Database {
  const { clock = systemClock, log = silentLog } = around
  const open = () => openWhole(path, key)
  const first = openConvinced(path, { open, check: () => checkedConnection(open()) })
  const steady = new SteadySqlite(first, {
    path,
    open,
    monotonicMs: () => clock.monotonicMs(),
    onReopened: about => {
      log.warn(about, 'database reopened after a storage fault')
      database.reopened()
    },
  })
  const database = new NodeDatabase(steady)
  return withRowCache(database)
}

const openWhole = (path: string, key: Uint8Array): Sqlite.Database =>
  withWholeLog(path, {
    connect: () => new Sqlite(path, { timeout: BUSY_TIMEOUT_MS }),
    lock: sqlite => lock(sqlite, key),
  })

/** Reads and checks nothing but the header, which tells whether the key is right. */
export function readFirstPage(path: string, key: Uint8Array): Pick<Database, 'get' | 'close'> {
  const sqlite = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true })
  try {
    unlock(sqlite, key)
    sqlite.pragma('user_version')
    return { get: <Row>(sql: string) => sqlite.prepare(sql).get() as Row | undefined, close: () => void sqlite.close() }
  } catch (error) {
    sqlite.close()
    throw error
  }
}

function unlock(sqlite: Sqlite.Database, key: Uint8Array): void {
  sqlite.pragma("cipher='aegis'")
  sqlite.pragma(`key='raw:${Buffer.from(key).toString('hex')}'`)
  // Before the first read: in exclusive mode a second process is refused instead of writing beside this one.
  sqlite.pragma('locking_mode = EXCLUSIVE')
}

/** Returns the number of frames of the log that the connection has read. */
function lock(sqlite: Sqlite.Database, key: Uint8Array): number {
  unlock(sqlite, key)
  beginShrinkable({
    count: pragma => Number(sqlite.pragma(pragma, { simple: true })),
    exec: sql => sqlite.exec(sql),
  })
  sqlite.pragma('journal_mode = WAL')
  sqlite.pragma('synchronous = FULL')
  sqlite.pragma(`wal_autocheckpoint = ${databaseLimits.logPagesMax}`)
  sqlite.pragma('temp_store = MEMORY')
  sqlite.pragma('secure_delete = ON')
  sqlite.exec('BEGIN EXCLUSIVE; COMMIT')
  const [counted] = sqlite.pragma('wal_checkpoint(NOOP)') as { log: number }[]
  return counted?.log ?? 0
}

type Steady = SteadySqlite<Sqlite.Database>
type Statement = ReturnType<Steady['prepare']>

class NodeDatabase implements Database {
  readonly #sqlite: Steady
  readonly #statements = new Map<string, Prepared>()
  #waits = true

  constructor(sqlite: Steady) {
    this.#sqlite = sqlite
  }

  exec(sql: string): void {
    if (sql === 'ROLLBACK' && this.#sqlite.inTransaction) this.#sqlite.rollBack()
    else if (sql === 'BEGIN IMMEDIATE' || sql === 'COMMIT') this.#statement(sql).statement.run()
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
    // SQLite reports this instead of throwing: deleted data would stay in the log unnoticed.
    if (done?.busy !== 0) throw new CodedError('storage-failed')
  }

  findDamage(): string | undefined {
    return this.#sqlite.findDamage()
  }

  hold(isHeld: boolean): void {
    this.#sqlite.hold(isHeld)
  }

  /** A new connection has the settings of the first. */
  reopened(): void {
    this.#waits = true
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

/** `bytes`: the columns that may hold bytes. Checking every column would be half the time of a long list. */
type Prepared = { statement: Statement; bytes: string[] }

/** Tables are strict: a column declared as text or a number never holds bytes. An expression has no declared type. */
const byteColumns = (statement: Statement): string[] =>
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
