// Accounts by their numbers inside. Neither changes: what was found once is kept in memory until the account is deleted.
import { type AccountId, CodedError } from '@postern/protocol'
import { WeightedCache } from '../../weighted-cache.ts'
import type { Queries } from '../connection/queries.ts'

export type NumberedAccount = {
  readonly num: number
  readonly id: AccountId
  readonly createdMs: number
  readonly isDeleted: boolean
}

export class AccountNumbers {
  readonly #database: Queries
  readonly #byId: WeightedCache<AccountId, NumberedAccount>
  readonly #byNumber: WeightedCache<number, NumberedAccount>

  constructor(database: Queries, cachedMax: number) {
    this.#database = database
    this.#byId = new WeightedCache(cachedMax)
    this.#byNumber = new WeightedCache(cachedMax)
  }

  /** Undefined when it is not registered. */
  async find(account: AccountId): Promise<NumberedAccount | undefined> {
    return this.held(account) ?? unlessDeleted((await this.findAll([account])).get(account))
  }

  async numberOf(account: AccountId): Promise<number> {
    const found = await this.find(account)
    if (!found) throw new CodedError('account-not-found', { account })
    return found.num
  }

  /** Those of them that are registered, or were until they were deleted. */
  async findAll(accounts: Iterable<AccountId>): Promise<Map<AccountId, NumberedAccount>> {
    const found = new Map<AccountId, NumberedAccount>()
    const unknown = new Set<AccountId>()
    for (const account of accounts) {
      const held = this.#byId.get(account)
      if (held) found.set(account, held)
      else unknown.add(account)
    }
    for (const row of unknown.size === 0 ? [] : await this.#read([...unknown])) {
      this.#keep(row)
      found.set(row.id, row)
    }
    return found
  }

  /** What is in memory alone. */
  held(account: AccountId): NumberedAccount | undefined {
    return unlessDeleted(this.#byId.get(account))
  }

  heldByNumber(num: number): NumberedAccount | undefined {
    return this.#byNumber.get(num)
  }

  forget(account: AccountId): void {
    this.#byId.delete(account)
  }

  /** Nothing was heard for a while: some may have been deleted. */
  forgetAll(): void {
    this.#byId.clear()
  }

  #read(accounts: AccountId[]): Promise<NumberedAccount[]> {
    return this.#database.rows(
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
