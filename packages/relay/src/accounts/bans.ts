// Whom the operator has shut out: in memory, so that no login and no upload slips in beside the word.
import { type AccountId, CodedError } from '@postern/protocol'
import type { RelayStore } from '../store/relay-store.ts'

export class Bans {
  readonly #store: RelayStore
  readonly #banned: Set<AccountId>
  /** How often one was said. */
  #changes = 0
  #end: (account: AccountId) => void = () => {}

  private constructor(store: RelayStore, banned: readonly AccountId[]) {
    this.#store = store
    this.#banned = new Set(banned)
  }

  static async load(store: RelayStore): Promise<Bans> {
    return new Bans(store, await store.bannedAccounts())
  }

  /** Throws `account-banned`. To be asked in the turn in which somebody is let in: a ban may have come since the last one. */
  assertAllowed(account: AccountId): void {
    if (this.#banned.has(account)) throw new CodedError('account-banned')
  }

  /**
   * `end` is called in the turn in which the ban counts, once it is durable: from then on nothing of the account is taken.
   * What it has sent before is delivered, and what waits for it is kept: both were accepted.
   */
  async ban(account: AccountId, { nowMs, end }: { nowMs: number; end: () => void }): Promise<void> {
    await this.#store.setBanned(account, nowMs)
    this.#note(account, 'banned')
    end()
  }

  /** Told in the turn in which an account is shut out that its owner deletes. */
  onShutOut(end: (account: AccountId) => void): void {
    this.#end = end
  }

  /** Shut out before it is deleted: none of its connections may meet a store that has no such account. */
  async shutOutFor(account: AccountId, remove: () => Promise<void>): Promise<void> {
    this.#note(account, 'banned')
    this.#end(account)
    try {
      await remove()
    } catch (error) {
      this.#note(account, 'unbanned')
      throw error
    }
  }

  /** Another relay on the same data has done it. */
  noteElsewhere(account: AccountId, kind: 'banned' | 'unbanned'): void {
    this.#note(account, kind)
  }

  /** Reads all of it again. Gives those who are banned and were not. */
  async readAgain(): Promise<AccountId[]> {
    const found = await this.#foundAtRest()
    const fresh = found.filter(account => !this.#banned.has(account))
    this.#banned.clear()
    for (const account of found) this.#banned.add(account)
    return fresh
  }

  async unban(account: AccountId): Promise<void> {
    await this.#store.setBanned(account, undefined)
    this.#note(account, 'unbanned')
  }

  #note(account: AccountId, kind: 'banned' | 'unbanned'): void {
    this.#changes += 1
    if (kind === 'banned') this.#banned.add(account)
    else this.#banned.delete(account)
  }

  /** What was read before a ban came would take it back. */
  async #foundAtRest(): Promise<AccountId[]> {
    for (;;) {
      const before = this.#changes
      const found = await this.#store.bannedAccounts()
      if (before === this.#changes) return found
    }
  }
}
