// Small batches fill mailboxes in their own transaction: one wait for the disk in place of two, for the sender and for who gets it.
import { postgresLimits } from '@postern/protocol'
import type { PostgresStatement } from '../connection/queries.ts'
import type { FanOut } from '../mailboxes/fan-out.ts'
import type { BatchRows } from './batch-rows.ts'

type Placed = { grown: number[] | null }

export class InlineFanOut {
  readonly #fanOut: FanOut
  readonly #rows: BatchRows
  /** Undefined: somebody else fans out just now. */
  #placed: Placed | undefined

  constructor(fanOut: FanOut, rows: BatchRows) {
    this.#fanOut = fanOut
    this.#rows = rows
  }

  /**
   * Of the batch, when it is small: else none. Not with a commit: behind one, members are removed whom another batch may hold.
   */
  get #entriesOfSmall(): number {
    const { entries, mailboxes, hasCommit } = this.#rows.logged
    return hasCommit || mailboxes > postgresLimits.placeAtOnceMax ? 0 : entries
  }

  /** To be asked behind the rows of the batch. `waiting`: what was in the outbox before it, and goes first. */
  statements(waiting: number): PostgresStatement[] {
    if (waiting > 0 || this.#entriesOfSmall === 0) return []
    const text = 'SELECT grown FROM fan_out_at_once($1, $2)'
    const values = [this.#entriesOfSmall, this.#fanOut.name]
    return [{ text, values, told: ([row]) => void (this.#placed = row as Placed | undefined) }]
  }

  /** Now it is durable. What could not be placed at once is left to whoever fans out next. */
  committed(): void {
    if (this.#placed) this.#fanOut.grown(this.#placed.grown ?? [])
    else if (this.#rows.logged.entries > 0) this.#fanOut.poke(this.#rows.logged.mailboxes)
  }
}
