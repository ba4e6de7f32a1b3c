// How often each invite was used, on PostgreSQL. What it allows stands in its file.
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Invite } from '../relay-store.ts'
import type { Postgres } from './database.ts'
import type { Queries } from './queries.ts'

export class PgInviteRows {
  readonly #database: Postgres
  readonly #limits: RelayLimits

  constructor(database: Postgres, limits: RelayLimits) {
    this.#database = database
    this.#limits = limits
  }

  /** Throws `invite-used` when no use is left. */
  async use(_tx: Queries, _invite: Invite): Promise<void> {
    throw new Error('not written yet')
  }

  async uses(_hash: Uint8Array): Promise<number> {
    throw new Error('not written yet')
  }

  /** Those that cannot be used any more anyway. */
  async expire(_nowMs: number, _countMax: number): Promise<number> {
    throw new Error('not written yet')
  }
}
