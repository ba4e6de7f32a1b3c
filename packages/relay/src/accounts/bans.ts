// Accounts that the operator has banned, in memory, so that no login and no upload slips through during a ban.
import { type AccountId, CodedError } from '@postern/protocol'
import type { RelayStore } from '../store/relay-store.ts'

export class Bans {
  readonly #store: RelayStore
  readonly #banned: Set<AccountId>
  /** Counts bans and unbans. */
  #changes = 0
  #end: (account: AccountId) => void = () => {}

  private constructor(store: RelayStore, banned: readonly AccountId[]) {
    this.#store = store
    this.#banned = new Set(banned)
  }

  static async load(store: RelayStore): Promise<Bans> {
    return new Bans(store, await store.bannedAccounts())
  }

  /**
   * Throws `account-banned`.
   * Call this in the turn that admits the account: a ban may have arrived since the last check.
   */
  assertAllowed(account: AccountId): void {
    if (this.#banned.has(account)) throw new CodedError('account-banned')
  }

  /**
   * Calls `end` in the turn in which the durable ban takes effect: from then on the relay accepts nothing from the
   * account. Earlier messages of the account are delivered, and entries waiting for it are kept: the relay accepted
   * both.
   */
  async ban(account: AccountId, { nowMs, end }: { nowMs: number; end: () => void }): Promise<void> {
    await this.#store.setBanned(account, nowMs)
    this.#note(account, 'banned')
    end()
  }

  /** `end` is called in the turn in which an account is shut out because its owner deletes it. */
  onShutOut(end: (account: AccountId) => void): void {
    this.#end = end
  }

  /** Shuts the account out before deleting it: none of its connections may find a store without the account. */
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

  /** Another relay on the same data has banned or unbanned the account. */
  noteElsewhere(account: AccountId, kind: 'banned' | 'unbanned'): void {
    this.#note(account, kind)
  }

  /** Reads all bans again. Returns the accounts that are newly banned. */
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

  /** A list that was read before a concurrent ban would revert that ban. */
  async #foundAtRest(): Promise<AccountId[]> {
    for (;;) {
      const before = this.#changes
      const found = await this.#store.bannedAccounts()
      if (before === this.#changes) return found
    }
  }
}
