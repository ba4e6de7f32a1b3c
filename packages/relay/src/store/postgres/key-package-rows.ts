// Key packages on PostgreSQL: each goes out once, and the last resort when none is left.
import type { AccountId } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { HandedOutKeyPackage, PublishedKeyPackages } from '../relay-store.ts'
import type { AccountNumbers } from './account-numbers.ts'
import type { Postgres } from './database.ts'
import type { DayBytesRows } from './day-bytes.ts'

type Parts = { numbers: AccountNumbers; dayBytes: DayBytesRows; limits: RelayLimits }

export class PgKeyPackageRows {
  readonly #database: Postgres
  readonly #parts: Parts

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#parts = parts
  }

  async publish(_account: AccountId, _published: PublishedKeyPackages): Promise<number> {
    throw new Error('not written yet')
  }

  async handOut(_account: AccountId, _nowMs: number): Promise<HandedOutKeyPackage | undefined> {
    throw new Error('not written yet')
  }

  async has(_account: AccountId): Promise<boolean> {
    throw new Error('not written yet')
  }

  /** What was taken so long ago that no resend of it can be on its way. */
  async expire(_beforeMs: number, _countMax: number): Promise<number> {
    throw new Error('not written yet')
  }
}
