// What the program around a client must remember: small texts on named shelves, encrypted with the rest of the database.
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
    return this.#store.get<{ value: string }>('SELECT value FROM record WHERE shelf = ? AND key = ?', this.#shelf, key)
      ?.value
  }

  /** In the order of their keys. */
  all(): { key: string; value: string }[] {
    return this.#store.all('SELECT key, value FROM record WHERE shelf = ? ORDER BY key', this.#shelf)
  }

  /** All of the changes or none; durable when it resolves. */
  async change(...changes: RecordChange[]): Promise<void> {
    await this.#write(changes, 'durable')
  }

  /** Like `change`, but a power failure may undo it. */
  async changeSoon(...changes: RecordChange[]): Promise<void> {
    await this.#write(changes, 'recorded')
  }

  /** Read at once, and on the disk with the next write that waits for it, or soon: a kill before that undoes it, too. */
  async changeAhead(...changes: RecordChange[]): Promise<void> {
    await this.#write(changes, 'deferred')
  }

  async #write(changes: RecordChange[], durability: Durability): Promise<void> {
    await this.#store.write(database => {
      for (const change of changes) {
        if ('put' in change)
          database.run(
            `INSERT INTO record (shelf, key, value) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET value = excluded.value`,
            this.#shelf,
            change.key,
            change.put,
          )
        else database.run('DELETE FROM record WHERE shelf = ? AND key = ?', this.#shelf, change.key)
      }
    }, durability)
  }
}

/** Within a transaction of its caller. */
export function clearShelf(database: Database, shelf: string): void {
  database.run('DELETE FROM record WHERE shelf = ?', shelf)
}
