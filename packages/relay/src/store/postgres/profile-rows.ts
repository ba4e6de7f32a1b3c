// Profiles on PostgreSQL: the newest version of each, encrypted.
import type { AccountId } from '@postern/protocol'
import type { StoredProfile } from '../relay-store.ts'
import type { ProfileVersion } from '../rules/judge-profile.ts'
import type { AccountNumbers } from './account-numbers.ts'
import type { Postgres } from './database.ts'
import type { DayBytesRows } from './day-bytes.ts'

type Parts = { numbers: AccountNumbers; dayBytes: DayBytesRows }

export class PgProfileRows {
  readonly #database: Postgres
  readonly #parts: Parts

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#parts = parts
  }

  async put(
    _account: AccountId,
    _profile: ProfileVersion & { nowMs: number },
  ): Promise<{ accepted: boolean; version: number }> {
    throw new Error('not written yet')
  }

  async get(_account: AccountId): Promise<StoredProfile | undefined> {
    throw new Error('not written yet')
  }
}
