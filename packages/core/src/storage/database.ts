// The small part of SQLite that the core uses, so that the same SQL runs in Node and in a browser's worker.
import type { PagedDatabase } from '@postern/protocol'

export type SqlValue = string | number | null | Uint8Array

export interface Database {
  exec(sql: string): void
  run(sql: string, ...values: SqlValue[]): { changes: number; lastId: number }
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined
  all<Row>(sql: string, ...values: SqlValue[]): Row[]
  /** Called by a writer: the row that a query without values now returns. A row cache then need not query it. */
  know?(question: string, row: object): void
  /** Whether the next commits wait for the disk. The next commit that does also makes the earlier ones durable. */
  waitForDisk(wait: boolean): void
  /** Writes the write-ahead log back into the database and leaves nothing in it. */
  emptyLog(): void
  /** While the file is frozen for a copy, it is not opened again, whatever the disk does. */
  hold?(isHeld: boolean): void
  /** Reads the whole file and describes the damage. Undefined if there is none. Throws the disk's errors. */
  findDamage(): string | undefined
  close(): void
}

export const pagesOf = (database: Database): PagedDatabase => ({
  count: pragma => Number(Object.values(database.get<object>(`PRAGMA ${pragma}`) ?? {})[0]),
  exec: sql => database.exec(sql),
})
