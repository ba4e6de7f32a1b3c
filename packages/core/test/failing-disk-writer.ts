// A process that writes to a database while its disk fails and works in turn, and checks after each time that exactly the
// committed rows are there. Throws what is wrong. Arguments: directory, seed, rounds.
import { join } from 'node:path'
import { systemClock } from '@postern/protocol'
import { type FailingCalls, failOwnCalls } from '@postern/testkit/disk-faults'
import { SeededRandom } from '@postern/testkit/random'
import type { Database } from '../src/storage/database.ts'
import { openSqlite } from '../src/storage/sqlite/sqlite-node.ts'

const TRIES_MAX = 300
const COMMITS_PER_CHECKPOINT = 5
const ALL: FailingCalls[] = ['reads', 'writes', 'syncs']
const FAULTS: FailingCalls[][] = [['reads'], ['writes'], ['syncs'], ALL, ALL, [...ALL, 'opens']]

/** A broken promise, as opposed to an error of the disk. */
class DatabaseFault extends Error {}

class Writer {
  readonly #random: SeededRandom
  readonly #database: Database
  /** Every look at the clock is a little later, so that the database is opened again without a pause. */
  #nowMs = 0
  #lastId = 0
  /** The number in each committed row, by its id. */
  readonly #committed = new Map<number, number>()

  constructor(directory: string, seed: number) {
    this.#random = new SeededRandom(seed)
    const clock = { ...systemClock, monotonicMs: () => (this.#nowMs += 7) }
    this.#database = openSqlite(join(directory, 'core.db'), new Uint8Array(32).fill(7), { clock })
    this.#database.exec(
      'CREATE TABLE item (id INTEGER PRIMARY KEY, number INTEGER NOT NULL, text TEXT NOT NULL) STRICT',
    )
  }

  /** The disk fails for some writes, then works: everything is there, and nothing else. */
  round(): void {
    failOwnCalls(this.#random.of(FAULTS), this.#random.of([1, 0.7, 0.5, 0.3, 0.1]))
    for (let left = 1 + this.#random.below(8); left > 0; left--) this.#write()
    failOwnCalls([])
    this.#retried(() => this.#write() || undefined)
    this.#retried(() => this.#assertWhole())
  }

  /** True if it was committed. */
  #write(): boolean {
    const rows = new Map<number, number>()
    try {
      this.#database.waitForDisk(this.#random.below(2) === 0)
      this.#database.exec('BEGIN IMMEDIATE')
      for (let left = 1 + this.#random.below(6); left > 0; left--) rows.set(++this.#lastId, this.#lastId)
      for (const id of this.#anyCommitted()) rows.set(id, this.#random.below(1e9))
      for (const [id, number] of rows)
        this.#database.run(
          'INSERT OR REPLACE INTO item VALUES (?, ?, ?)',
          id,
          number,
          'x'.repeat(this.#random.below(3000)),
        )
      this.#database.exec('COMMIT')
    } catch {
      this.#rollBack()
      return false
    }
    for (const [id, number] of rows) this.#committed.set(id, number)
    if (this.#random.below(COMMITS_PER_CHECKPOINT) === 0) this.#emptyLog()
    return true
  }

  #anyCommitted(): number[] {
    const ids = [...this.#committed.keys()]
    return ids.length === 0 ? [] : Array.from({ length: this.#random.below(4) }, () => this.#random.of(ids))
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // The failed commit has ended the transaction.
    }
  }

  #emptyLog(): void {
    try {
      this.#database.emptyLog()
    } catch {
      // The disk fails: the log stays.
    }
  }

  #assertWhole(): true {
    const rows = this.#database.all<{ id: number; number: number }>('SELECT id, number FROM item')
    const found = new Map(rows.map(({ id, number }) => [id, number]))
    const lost = [...this.#committed].filter(([id, number]) => found.get(id) !== number)
    const extra = [...found.keys()].filter(id => !this.#committed.has(id))
    const check = this.#database.get<{ integrity_check: string }>('PRAGMA integrity_check(1)')?.integrity_check
    if (lost.length + extra.length > 0 || check !== 'ok')
      throw new DatabaseFault(
        `${lost.length} committed rows lost, ${extra.length} failed rows there, integrity: ${check}`,
      )
    return true
  }

  /** The first tries may use a connection from before. */
  #retried<T>(work: () => T | undefined): T {
    let last: unknown
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      try {
        const done = work()
        if (done !== undefined) return done
      } catch (error) {
        if (error instanceof DatabaseFault) throw error
        last = error
      }
    }
    throw new DatabaseFault(`the disk works, and the database does not: ${String(last)}`)
  }
}

const [directory = '', seed, rounds] = process.argv.slice(2)
const writer = new Writer(directory, Number(seed))
for (let round = 0; round < Number(rounds); round++) writer.round()
