// Small batches fill mailboxes in their own transaction:
// one wait for the disk instead of two, for sender and receivers.
import { postgresLimits } from '@postern/protocol'
import type { PostgresStatement } from '../connection/queries.ts'
import type { FanOut } from '../mailboxes/fan-out.ts'
import type { BatchRows } from './batch-rows.ts'

type Placed = { grown: number[] | null }

export class InlineFanOut {
  readonly #fanOut: FanOut
  readonly #rows: BatchRows
  /** Undefined: another transaction holds the lock for filling mailboxes. */
  #placed: Placed | undefined

  constructor(fanOut: FanOut, rows: BatchRows) {
    this.#fanOut = fanOut
    this.#rows = rows
  }

  /**
   * The number of entries of a small batch, else 0.
   * Not with a commit: a turn after it removes members that another batch may have locked.
   */
  get #entriesOfSmall(): number {
    const { entries, mailboxes, hasCommit } = this.#rows.logged
    return hasCommit || mailboxes > postgresLimits.placeAtOnceMax ? 0 : entries
  }

  /** Send these after the rows of the batch. `waiting`: earlier rows in the outbox, which go first. */
  statements(waiting: number): PostgresStatement[] {
    if (waiting > 0 || this.#entriesOfSmall === 0) return []
    const text = 'SELECT grown FROM fan_out_at_once($1, $2)'
    const values = [this.#entriesOfSmall, this.#fanOut.name]
    return [{ text, values, told: ([row]) => void (this.#placed = row as Placed | undefined) }]
  }

  /** The batch is durable. Entries that could not be placed are left to the next fan-out. */
  committed(): void {
    if (this.#placed) this.#fanOut.grown(this.#placed.grown ?? [])
    else if (this.#rows.logged.entries > 0) this.#fanOut.poke(this.#rows.logged.mailboxes)
  }
}
