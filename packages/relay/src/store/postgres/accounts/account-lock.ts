// Serializes the operations of an account in the order of their requests:
// a queue within this relay, a lock among relays.
import { type AccountId, CodedError } from '@postern/protocol'
import type { Postgres } from '../connection/database.ts'
import type { Queries } from '../connection/queries.ts'
import type { AccountNumbers, NumberedAccount } from './account-numbers.ts'

type AccountWork<T> = (tx: Queries, of: NumberedAccount) => Promise<T>

export class AccountLock {
  readonly #database: Postgres
  readonly #numbers: AccountNumbers
  readonly #last = new Map<AccountId, Promise<unknown>>()

  constructor(database: Postgres, numbers: AccountNumbers) {
    this.#database = database
    this.#numbers = numbers
  }

  /** Without the queue, two requests could swap places on the pool's connections. Throws `account-not-found`. */
  async run<T>(account: AccountId, work: AccountWork<T>, signal?: AbortSignal): Promise<T> {
    const take = (): Promise<T> => this.#take(account, work, signal)
    const turn = this.#last.get(account)?.then(take, take) ?? take()
    this.#last.set(account, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(account) === turn) this.#last.delete(account)
    }
  }

  async #take<T>(account: AccountId, work: AccountWork<T>, signal: AbortSignal | undefined): Promise<T> {
    const found = await this.#numbers.find(account, signal)
    if (!found) throw new CodedError('account-not-found', { account })
    return await this.#database.transaction(async tx => {
      await tx.rows('SELECT pg_advisory_xact_lock(6, $1)', [found.num])
      return await work(tx, found)
    }, signal)
  }
}
