// The internal numbers of accounts.
// An account's id and number never change, so both are cached until the account is deleted.
import { type AccountId, CodedError, WeightedCache } from '@postern/protocol'
import type { Postgres } from '../connection/database.ts'

export type NumberedAccount = {
  readonly num: number
  readonly id: AccountId
  readonly createdMs: number
  readonly isDeleted: boolean
}

export class AccountNumbers {
  readonly #database: Postgres
  readonly #byId: WeightedCache<AccountId, NumberedAccount>
  readonly #byNumber: WeightedCache<number, NumberedAccount>

  constructor(database: Postgres, cachedMax: number) {
    this.#database = database
    this.#byId = new WeightedCache(cachedMax)
    this.#byNumber = new WeightedCache(cachedMax)
  }

  /** Undefined when it is not registered. */
  async find(account: AccountId, signal?: AbortSignal): Promise<NumberedAccount | undefined> {
    return this.held(account) ?? unlessDeleted((await this.findAll([account], signal)).get(account))
  }

  async numberOf(account: AccountId, signal?: AbortSignal): Promise<number> {
    const found = await this.find(account, signal)
    if (!found) throw new CodedError('account-not-found', { account })
    return found.num
  }

  /** Those of them that are registered, or were until they were deleted. */
  async findAll(accounts: Iterable<AccountId>, signal?: AbortSignal): Promise<Map<AccountId, NumberedAccount>> {
    const found = new Map<AccountId, NumberedAccount>()
    const unknown = new Set<AccountId>()
    for (const account of accounts) {
      const held = this.#byId.get(account)
      if (held) found.set(account, held)
      else unknown.add(account)
    }
    for (const row of unknown.size === 0 ? [] : await this.#read([...unknown], signal)) {
      this.#keep(row)
      found.set(row.id, row)
    }
    return found
  }

  /** Only from memory. */
  held(account: AccountId): NumberedAccount | undefined {
    return unlessDeleted(this.#byId.get(account))
  }

  heldByNumber(num: number): NumberedAccount | undefined {
    return this.#byNumber.get(num)
  }

  forget(account: AccountId): void {
    this.#byId.delete(account)
  }

  /** Events may have been missed: some accounts may have been deleted. */
  forgetAll(): void {
    this.#byId.clear()
  }

  #read(accounts: AccountId[], signal: AbortSignal | undefined): Promise<NumberedAccount[]> {
    return this.#database.until(signal).rows(
      `SELECT num, id, created_ms AS "createdMs", deleted_ms IS NOT NULL AS "isDeleted"
       FROM account WHERE id = ANY ($1::text[])`,
      [accounts],
    )
  }

  #keep(account: NumberedAccount): void {
    this.#byId.set(account.id, account, 1)
    this.#byNumber.set(account.num, account, 1)
  }
}

const unlessDeleted = (found: NumberedAccount | undefined): NumberedAccount | undefined =>
  found?.isDeleted ? undefined : found
