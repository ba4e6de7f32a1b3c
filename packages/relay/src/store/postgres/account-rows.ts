// Accounts on PostgreSQL: their keys and serials, who is shut out, and what an operator sees of them.
import type { AccountId } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { AccountFacts, AccountsAsked, NewAccount, StoredAccount } from '../relay-store.ts'
import type { AccountNumbers } from './account-numbers.ts'
import type { Postgres } from './database.ts'
import type { Hints } from './hints.ts'
import type { PgInviteRows } from './invite-rows.ts'

type Parts = { numbers: AccountNumbers; invites: PgInviteRows; hints: Hints; limits: RelayLimits }

export class PgAccountRows {
  readonly #database: Postgres
  readonly #parts: Parts

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#parts = parts
  }

  async register(_account: AccountId, _given: NewAccount): Promise<'created' | 'exists'> {
    throw new Error('not written yet')
  }

  async get(_account: AccountId): Promise<StoredAccount | undefined> {
    throw new Error('not written yet')
  }

  async raiseSerial(_account: AccountId, _seen: number): Promise<number> {
    throw new Error('not written yet')
  }

  async setBanned(_account: AccountId, _bannedMs: number | undefined): Promise<void> {
    throw new Error('not written yet')
  }

  async banned(): Promise<AccountId[]> {
    throw new Error('not written yet')
  }

  async noteSeen(_account: AccountId, _nowMs: number): Promise<void> {
    throw new Error('not written yet')
  }

  async list(_asked: AccountsAsked): Promise<AccountFacts[]> {
    throw new Error('not written yet')
  }

  async facts(_account: AccountId, _nowMs: number): Promise<AccountFacts | undefined> {
    throw new Error('not written yet')
  }
}
