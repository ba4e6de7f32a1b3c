// The small part of SQLite that core uses, so that the same SQL runs in Node and in a browser's worker.
import type { PagedDatabase } from '@postern/protocol'

export type SqlValue = string | number | null | Uint8Array

export interface Database {
  exec(sql: string): void
  run(sql: string, ...values: SqlValue[]): { changes: number; lastId: number }
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined
  all<Row>(sql: string, ...values: SqlValue[]): Row[]
  /** For who has just written it: the row that a question without values finds now. Where rows are kept it need not be asked for. */
  know?(question: string, row: object): void
  /** Whether the next commits wait for the disk. Commits that do not are made durable by the next one that does. */
  waitForDisk(wait: boolean): void
  /** Writes the write-ahead log back into the database and leaves nothing in it. */
  emptyLog(): void
  /** While its own file stands still for a copy it is not opened again, whatever the disk does. */
  hold?(isHeld: boolean): void
  /** What is wrong with its file, of which all is read; undefined when it is whole. Throws what the disk says. */
  findDamage(): string | undefined
  close(): void
}

export const pagesOf = (database: Database): PagedDatabase => ({
  count: pragma => Number(Object.values(database.get<object>(`PRAGMA ${pragma}`) ?? {})[0]),
  exec: sql => database.exec(sql),
})
