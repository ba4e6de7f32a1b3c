// Data of the program around a client: small texts on named shelves, encrypted with the rest of the database.
import type { Database } from '../database.ts'
import type { Durability, Store } from '../transactions/store.ts'

export type RecordChange = { key: string } & ({ put: string } | { remove: true })

export class Records {
  readonly #store: Store
  readonly #shelf: string

  constructor(store: Store, shelf: string) {
    this.#store = store
    this.#shelf = shelf
  }

  get(key: string): string | undefined {
    return readShelf(this.#store, this.#shelf, key)
  }

  /** In the order of their keys. */
  all(): { key: string; value: string }[] {
    return this.#store.all('SELECT key, value FROM record WHERE shelf = ? ORDER BY key', this.#shelf)
  }

  /** Those from the first key to the last one, in the order of their keys. */
  between(first: string, last: string): { key: string; value: string }[] {
    const sql = 'SELECT key, value FROM record WHERE shelf = ? AND key BETWEEN ? AND ? ORDER BY key'
    return this.#store.all(sql, this.#shelf, first, last)
  }

  /** Writes all of the changes or none. Durable when it resolves. */
  async change(...changes: RecordChange[]): Promise<void> {
    await this.#write(changes, 'durable')
  }

  /** Like `change`, but a power failure may undo it. */
  async changeSoon(...changes: RecordChange[]): Promise<void> {
    await this.#write(changes, 'recorded')
  }

  /**
   * Readable immediately, and on disk soon, or with the next write that waits for it.
   * A kill before that also undoes it.
   */
  async changeAhead(...changes: RecordChange[]): Promise<void> {
    await this.#write(changes, 'deferred')
  }

  /**
   * One durable transaction. `work` reads its own changes, and may run again after a rollback.
   * Nothing is written if it throws.
   */
  async transact<T>(work: (change: (...changes: RecordChange[]) => void) => T): Promise<T> {
    return await this.#store.write(database => work((...changes) => changeShelf(database, this.#shelf, changes)))
  }

  async #write(changes: RecordChange[], durability: Durability): Promise<void> {
    await this.#store.write(database => changeShelf(database, this.#shelf, changes), durability)
  }
}

export const readShelf = (reads: Pick<Store, 'get'>, shelf: string, key: string): string | undefined =>
  reads.get<{ value: string }>('SELECT value FROM record WHERE shelf = ? AND key = ?', shelf, key)?.value

/** Runs within a transaction of the caller. */
export function changeShelf(database: Database, shelf: string, changes: RecordChange[]): void {
  for (const change of changes) {
    if ('put' in change)
      database.run(
        `INSERT INTO record (shelf, key, value) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET value = excluded.value`,
        shelf,
        change.key,
        change.put,
      )
    else database.run('DELETE FROM record WHERE shelf = ? AND key = ?', shelf, change.key)
  }
}

/** Runs within a transaction of the caller. */
export function clearShelf(database: Database, shelf: string): void {
  database.run('DELETE FROM record WHERE shelf = ?', shelf)
}
