// What is past its time, on PostgreSQL: the id below which entries are gone, and by which clock ages are told.
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Postgres } from './database.ts'

export class PgRetentionRows {
  readonly #database: Postgres
  readonly #limits: RelayLimits

  constructor(database: Postgres, limits: RelayLimits) {
    this.#database = database
    this.#limits = limits
  }

  async agesAt(_nowMs: number): Promise<number> {
    throw new Error('not written yet')
  }

  async noteClockSet(_set: { byMs: number; nowMs: number }): Promise<void> {
    throw new Error('not written yet')
  }
}
