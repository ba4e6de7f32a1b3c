// Caches rows that every message reads and few write, until their table is written: they were half of all statements.
import { clientLimits } from '@postern/protocol'
import type { Database, SqlValue } from '../database.ts'

/** Rows of other tables change with every message, or are read once. */
const keptTables: ReadonlySet<string> = new Set([
  'account',
  'chat',
  'gap',
  'list_repair',
  'mailbox',
  'member',
  'mls_group',
  'notice',
  'person',
  'sqlite_sequence',
])

/** By the values of the query. */
type Answers = Map<SqlValue, unknown>
/** The answers to `get` and to `all` of one query. */
type Kept = { question: string; tables: string[]; one: Answers; many: Answers }

/**
 * `table`: its name, or `anything`. `column`: the only column that it changes, if it is one.
 * `adds`: it may give a row a new id.
 */
type Write = { table: string; column: string | undefined; adds: boolean }

type Plan = {
  /** Absent if nothing is cached. */
  kept: Kept | undefined
  /** Absent if it only reads. */
  writes: Write | undefined
  /** The cached queries that it may invalidate, computed when `among` queries were cached. */
  touches: { kept: Kept[]; among: number } | undefined
}

/** The same database. Rows of cached tables are frozen, because several callers receive them. */
export const withRowCache = (database: Database): Database => new RowCache(database)

class RowCache implements Database {
  readonly #database: Database
  readonly #plans = new Map<string, Plan>()
  readonly #kept: Kept[] = []
  /** Tables that SQLite itself writes with a table: by triggers, and the counter of ids. */
  #alsoWritten: Map<string, Set<string>> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  exec(sql: string): void {
    // A rolled-back row may have been read before. Any other statement here may change anything, including tables.
    if (sql !== 'BEGIN IMMEDIATE' && sql !== 'COMMIT') this.#forgetAll()
    this.#database.exec(sql)
  }

  run(sql: string, ...values: SqlValue[]): { changes: number; lastId: number } {
    const plan = this.#plan(sql)
    const done = this.#database.run(sql, ...values)
    if (done.changes > 0) this.#forget(plan)
    return done
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    const plan = this.#plan(sql)
    const answers = plan.kept?.one
    const key = answers && keyOf(values)
    if (!answers || key === undefined) {
      const row = this.#database.get<Row>(sql, ...values)
      this.#forget(plan)
      return row
    }
    const kept = answers.get(key) as Row | undefined
    if (kept !== undefined || answers.has(key)) return kept
    const row = this.#database.get<Row>(sql, ...values)
    keep(answers, key, Object.freeze(row))
    return row
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    const plan = this.#plan(sql)
    const answers = plan.kept?.many
    const key = answers && keyOf(values)
    if (!answers || key === undefined) {
      const rows = this.#database.all<Row>(sql, ...values)
      this.#forget(plan)
      return rows
    }
    const kept = answers.get(key) as Row[] | undefined
    if (kept) return kept
    const rows = this.#database.all<Row>(sql, ...values)
    if (rows.length > clientLimits.keptListRowsMax) return rows
    for (const row of rows) Object.freeze(row)
    keep(answers, key, Object.freeze(rows))
    return rows
  }

  know(question: string, row: object): void {
    const answers = this.#plan(question).kept?.one
    if (answers) keep(answers, ALONE, Object.freeze(row))
  }

  waitForDisk(wait: boolean): void {
    this.#database.waitForDisk(wait)
  }

  emptyLog(): void {
    this.#database.emptyLog()
  }

  findDamage(): string | undefined {
    return this.#database.findDamage()
  }

  hold(isHeld: boolean): void {
    this.#database.hold?.(isHeld)
  }

  close(): void {
    this.#database.close()
  }

  #plan(sql: string): Plan {
    let plan = this.#plans.get(sql)
    if (!plan) {
      plan = { kept: this.#keptFor(sql), writes: writeOf(sql), touches: undefined }
      this.#plans.set(sql, plan)
    }
    return plan
  }

  #keptFor(sql: string): Kept | undefined {
    if (!isQuestion(sql)) return undefined
    const tables = tablesIn(sql, /\b(?:FROM|JOIN)\s+(\w+)/g)
    if (tables.length === 0 || !tables.every(table => keptTables.has(table)) || listsTables(sql)) return undefined
    const kept: Kept = { question: sql, tables, one: new Map(), many: new Map() }
    this.#kept.push(kept)
    return kept
  }

  #forget(plan: Plan): void {
    const { writes } = plan
    if (writes === undefined) return
    if (writes.table === 'anything') return this.#forgetAll()
    if (plan.touches?.among !== this.#kept.length)
      plan.touches = { kept: this.#touchedBy(writes), among: this.#kept.length }
    forgetAnswers(plan.touches.kept)
  }

  #touchedBy(write: Write): Kept[] {
    this.#alsoWritten ??= alsoWritten(this.#database)
    const others = new Set(this.#alsoWritten.get(write.table))
    // The counter of ids counts additions, and stays when rows are deleted.
    if (!write.adds) others.delete('sqlite_sequence')
    return this.#kept.filter(kept => tells(kept, write) || kept.tables.some(table => others.has(table)))
  }

  #forgetAll(): void {
    this.#alsoWritten = undefined
    for (const plan of this.#plans.values()) plan.touches = undefined
    forgetAnswers(this.#kept)
  }
}

function forgetAnswers(kept: readonly Kept[]): void {
  for (const { one, many } of kept) {
    // Clearing an empty map takes time, too.
    if (one.size > 0) one.clear()
    if (many.size > 0) many.clear()
  }
}

/** Whether a write may change the answer to a query: not if it only changes a column that the query does not read. */
function tells({ question, tables }: Kept, { table, column }: Write): boolean {
  if (!tables.includes(table)) return false
  return column === undefined || question.includes('*') || new RegExp(`\\b${column}\\b`).test(question)
}

const isQuestion = (sql: string): boolean => /^\s*SELECT\b/.test(sql)

/** `FROM one, other`: only the first would be found. */
const listsTables = (sql: string): boolean => /\bFROM\s+\w+(?:\s+AS\s+\w+)?\s*,/.test(sql)

const tablesIn = (sql: string, pattern: RegExp): string[] => [...sql.matchAll(pattern)].map(match => match[1] ?? '')

function writeOf(sql: string): Write | undefined {
  if (isQuestion(sql)) return undefined
  const [, verb, table = 'anything'] =
    /^\s*(INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(\w+)/.exec(sql) ?? []
  return { table, column: onlyColumn(sql), adds: verb?.startsWith('INSERT') ?? true }
}

/** Without a comma there is no second column. */
const onlyColumn = (sql: string): string | undefined => /^\s*UPDATE\s+\w+\s+SET\s+(\w+)\s*=[^,]*$/.exec(sql)?.[1]

function alsoWritten(database: Database): Map<string, Set<string>> {
  const also = new Map<string, Set<string>>()
  const rows = database.all<{ type: string; tbl_name: string; sql: string | null }>(
    'SELECT type, tbl_name, sql FROM sqlite_schema',
  )
  for (const { type, tbl_name: table, sql } of rows) {
    const others = also.get(table) ?? new Set<string>()
    if (type === 'trigger')
      for (const other of tablesIn(sql ?? '', /\b(?:INTO|UPDATE|DELETE\s+FROM)\s+(\w+)/g)) others.add(other)
    else if (/\bAUTOINCREMENT\b/.test(sql ?? '')) others.add('sqlite_sequence')
    also.set(table, others)
  }
  return also
}

/** The key of a query without values. */
const ALONE = ''

/** Undefined where two different pairs of values could get the same key. */
function keyOf(values: SqlValue[]): SqlValue | undefined {
  const [one = ALONE, other] = values
  if (values.length > 2 || one instanceof Uint8Array) return undefined
  if (values.length < 2) return one
  return typeof one === 'string' && typeof other === 'string' ? `${one.length}:${one}${other}` : undefined
}

function keep(answers: Answers, key: SqlValue, found: unknown): void {
  if (answers.size >= clientLimits.keptAnswersMax) answers.clear()
  answers.set(key, found)
}
