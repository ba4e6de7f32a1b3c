// Removes what is past its time from PostgreSQL, in turns of bounded size.
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Postgres } from './database.ts'
import type { PgInviteRows } from './invite-rows.ts'
import type { PgKeyPackageRows } from './key-package-rows.ts'

type Parts = { keyPackages: PgKeyPackageRows; invites: PgInviteRows; limits: RelayLimits }

export class PgSweep {
  readonly #database: Postgres
  readonly #parts: Parts

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#parts = parts
  }

  /** Entries go by their ids, and mailboxes lose what refers to none: `nowMs` is by the clock that tells ages. */
  async turn(_nowMs: number): Promise<{ removed: number; more: boolean }> {
    throw new Error('not written yet')
  }
}
