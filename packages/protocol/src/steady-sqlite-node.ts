// A SQLite database that survives disk faults: after a fault it is reopened with a fresh connection.
import { type CheckedConnection, findDamage, isCheckedQuickly, looksDamaged } from './database-damage-node.ts'
import { CodedError } from './errors.ts'
import { databaseLimits } from './limits.ts'
import { cutLog, framesIn } from './sqlite-log-node.ts'
import { systemCodeOf } from './system-faults.ts'

/** The part of a better-sqlite3 statement that is used. */
interface Statement {
  run(...values: unknown[]): { changes: number; lastInsertRowid: number | bigint }
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
  iterate(...values: unknown[]): IterableIterator<unknown>
  pluck(): Statement
  columns(): { name: string; type: string | null }[]
  readonly reader: boolean
}

/** The part of a better-sqlite3 connection that is used. */
export interface SqliteConnection {
  prepare(sql: string): Statement
  exec(sql: string): unknown
  pragma(sql: string, options?: { simple?: boolean }): unknown
  readonly inTransaction: boolean
  readonly open: boolean
  close(): unknown
}

type Given<Connection> = {
  path: string
  /** Opens the file with all settings. Changes nothing in it. */
  open: () => Connection
  monotonicMs: () => number
  /** Called for each fresh connection. */
  onReopened?: ((about: { checked: boolean; damaged: boolean }) => void) | undefined
}

const FAULT = /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN|PROTOCOL)/

export class SteadySqlite<Connection extends SqliteConnection = SqliteConnection> {
  readonly #given: Given<Connection>
  /** Undefined after a connection was closed and until the next one is open. */
  #connection: Connection | undefined
  #isClosed = false
  #isHeld = false
  /** The last fault since this connection was opened. */
  #fault: unknown
  #reopenAtMs = Number.NEGATIVE_INFINITY
  /** Frames in the log before a failed commit: later ones may belong to that commit, and are invalid. */
  #framesKept: number | undefined
  /** How many connections in a row have found the database damaged. */
  #suspicions = 0
  #damage: string | undefined
  #checkAtMs = Number.NEGATIVE_INFINITY

  constructor(first: Connection, given: Given<Connection>) {
    this.#connection = first
    this.#given = given
  }

  get open(): boolean {
    return !this.#isClosed
  }

  get inTransaction(): boolean {
    return this.#connection?.inTransaction ?? false
  }

  prepare(sql: string): Statement {
    const statement = new SteadyStatement(this, sql)
    // Like a plain connection, this throws on a wrong statement.
    statement.ready()
    return statement
  }

  exec(sql: string): void {
    this.#attempt(connection => connection.exec(sql))
  }

  pragma(sql: string, options?: { simple?: boolean }): unknown {
    return this.#attempt(connection => connection.pragma(sql, options))
  }

  /** Afterwards there is no transaction, whatever the disk does. Never throws. */
  rollBack(): void {
    const connection = this.#connection
    if (!connection?.inTransaction) return
    try {
      connection.exec('ROLLBACK')
    } catch (error) {
      this.noted(error)
    }
    // While a transaction cannot end, nothing could ever be written.
    if (connection.inTransaction) this.#leave(connection)
  }

  /** The file must not change during a copy: closing a connection would write to it. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
  }

  /** Describes the damage of the database, using separate connections. Not to be called within a transaction. */
  findDamage(): string | undefined {
    if (this.#connection) this.#leave(this.#connection)
    try {
      cutLog(`${this.#given.path}-wal`, this.#framesKept)
      const found = findDamage(this.#given.path, () => checkedConnection(this.#given.open()))
      this.#reopen()
      return found
    } catch (error) {
      this.#fault = error
      throw error
    }
  }

  close(): void {
    this.#isClosed = true
    this.#connection?.close()
    this.#connection = undefined
  }

  /** For the statements: the connection to use now. */
  current(): Connection {
    const connection = this.#connection
    if (connection && (this.#fault === undefined || this.#isHeld || connection.inTransaction)) return connection
    if (this.#isClosed) throw new TypeError('The database connection is not open')
    const nowMs = this.#given.monotonicMs()
    if (nowMs < this.#reopenAtMs) {
      if (connection) return connection
      throw this.noted(this.#fault)
    }
    this.#reopenAtMs = nowMs + databaseLimits.reopenEveryMs
    return this.#reopen()
  }

  #attempt<T>(work: (connection: Connection) => T): T {
    const connection = this.current()
    try {
      return work(connection)
    } catch (error) {
      throw this.noted(error)
    }
  }

  /** The same error, or `database-damaged` if that is certain. */
  noted(error: unknown): unknown {
    if (!FAULT.test(systemCodeOf(error))) return error
    if (looksDamaged(error) && !looksDamaged(this.#fault)) this.#suspicions += 1
    this.#fault = error
    return looksDamaged(error) && this.#damage !== undefined
      ? new CodedError('database-damaged', {}, { cause: new Error(this.#damage) })
      : error
  }

  /** Called after each COMMIT. A failed one is in the log all the same if only the sync failed. */
  committed(isDone: boolean): void {
    if (isDone) this.#framesKept = undefined
    else if (this.#connection) this.#framesKept ??= framesIn(this.#connection)
  }

  #reopen(): Connection {
    if (this.#connection) this.#leave(this.#connection)
    this.#fault = undefined
    try {
      // The caller got an error for it: a fresh connection would find the commit in the log and apply it.
      cutLog(`${this.#given.path}-wal`, this.#framesKept)
      const nowMs = this.#given.monotonicMs()
      const checked = this.#suspicions > 1 && nowMs >= this.#checkAtMs && isCheckedQuickly(this.#given.path)
      if (checked) this.#check(nowMs)
      const connection = this.#given.open()
      this.#connection = connection
      this.#framesKept = undefined
      this.#given.onReopened?.({ checked, damaged: this.#damage !== undefined })
      return connection
    } catch (error) {
      const fault = this.noted(error)
      this.#fault = error
      throw fault
    }
  }

  #check(nowMs: number): void {
    this.#damage = findDamage(this.#given.path, () => checkedConnection(this.#given.open()))
    this.#suspicions = 0
    if (this.#damage !== undefined) this.#checkAtMs = nowMs + databaseLimits.checkDamagedEveryMs
  }

  #leave(connection: Connection): void {
    this.#connection = undefined
    try {
      connection.close()
    } catch (error) {
      this.#fault ??= error
    }
  }
}

export const checkedConnection = (connection: SqliteConnection): CheckedConnection => ({
  check: () => String(connection.pragma('integrity_check(1)', { simple: true })),
  close: () => void connection.close(),
})

/** A statement that is compiled once for each connection. */
class SteadyStatement implements Statement {
  readonly #database: SteadySqlite
  readonly #sql: string
  readonly #isCommit: boolean
  #isPlucked = false
  #of: SqliteConnection | undefined
  #compiled: Statement | undefined

  constructor(database: SteadySqlite, sql: string) {
    this.#database = database
    this.#sql = sql
    this.#isCommit = sql === 'COMMIT'
  }

  get reader(): boolean {
    return this.ready().reader
  }

  columns(): { name: string; type: string | null }[] {
    return this.ready().columns()
  }

  pluck(): this {
    this.#isPlucked = true
    this.#compiled?.pluck()
    return this
  }

  run(...values: unknown[]): { changes: number; lastInsertRowid: number | bigint } {
    const compiled = this.ready()
    try {
      const done = compiled.run(...values)
      if (this.#isCommit) this.#database.committed(true)
      return done
    } catch (error) {
      if (this.#isCommit) this.#database.committed(false)
      throw this.#database.noted(error)
    }
  }

  get(...values: unknown[]): unknown {
    const compiled = this.ready()
    try {
      return compiled.get(...values)
    } catch (error) {
      throw this.#database.noted(error)
    }
  }

  all(...values: unknown[]): unknown[] {
    const compiled = this.ready()
    try {
      return compiled.all(...values)
    } catch (error) {
      throw this.#database.noted(error)
    }
  }

  *iterate(...values: unknown[]): IterableIterator<unknown> {
    const compiled = this.ready()
    try {
      yield* compiled.iterate(...values)
    } catch (error) {
      throw this.#database.noted(error)
    }
  }

  ready(): Statement {
    const connection = this.#database.current()
    if (this.#compiled && this.#of === connection) return this.#compiled
    try {
      this.#compiled = connection.prepare(this.#sql)
    } catch (error) {
      throw this.#database.noted(error)
    }
    this.#of = connection
    return this.#isPlucked ? this.#compiled.pluck() : this.#compiled
  }
}
