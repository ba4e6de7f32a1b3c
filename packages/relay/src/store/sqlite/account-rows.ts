// Accounts, their profiles, and how far each has read.
import { type AccountId, CodedError, equalBytes } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Invite, NewAccount, StoredAccount, StoredProfile } from '../relay-store.ts'
import type { Sqlite } from './database.ts'
import type { DayBytes } from './day-bytes.ts'
import { WeightedCache } from './weighted-cache.ts'

type ProfileRow = { version: number; blob: Uint8Array }

export class AccountRows {
  readonly #limits: RelayLimits
  readonly #dayBytes: DayBytes
  readonly #numbers: WeightedCache<AccountId, number>
  readonly #sql

  constructor(db: Sqlite, { limits, dayBytes }: { limits: RelayLimits; dayBytes: DayBytes }) {
    this.#limits = limits
    this.#dayBytes = dayBytes
    this.#numbers = new WeightedCache(limits.accountsCachedMax)
    this.#sql = {
      number: db.prepare<[string], number>('SELECT num FROM account WHERE id = ?').pluck(),
      highest: db.prepare<[], number>('SELECT coalesce(max(num), 0) FROM account').pluck(),
      insert: db.prepare('INSERT INTO account (id, account_key, created_ms) VALUES (?, ?, ?)'),
      account: db.prepare<[number], StoredAccount>(
        `SELECT account_key AS accountKey, cursor, mark, serial,
           (SELECT count(*) FROM key_package WHERE key_package.account = account.num AND taken_ms IS NULL) AS keyPackages
         FROM account WHERE num = ?`,
      ),
      raise: db.prepare('UPDATE account SET serial = max(serial, ?) WHERE num = ?'),
      invited: db.prepare<[Uint8Array], number>('SELECT used FROM invite_use WHERE hash = ?').pluck(),
      useInvite: db.prepare(
        `INSERT INTO invite_use (hash, used, expires_ms) VALUES (?, 1, ?)
         ON CONFLICT (hash) DO UPDATE SET used = used + 1`,
      ),
      expireInvites: db.prepare(
        `DELETE FROM invite_use WHERE hash IN
           (SELECT hash FROM invite_use WHERE expires_ms < ? ORDER BY expires_ms LIMIT ?)`,
      ),
      profile: db.prepare<[number], ProfileRow>('SELECT version, blob FROM profile WHERE account = ?'),
      putProfile: db.prepare(
        `INSERT INTO profile (account, version, blob) VALUES (?, ?, ?)
         ON CONFLICT (account) DO UPDATE SET version = excluded.version, blob = excluded.blob`,
      ),
    }
  }

  /** The account's number inside, or undefined when it is not registered. */
  find(account: AccountId): number | undefined {
    const cached = this.#numbers.get(account)
    if (cached !== undefined) return cached
    const number = this.#sql.number.get(account)
    if (number !== undefined) this.#numbers.set(account, number, 1)
    return number
  }

  numberOf(account: AccountId): number {
    const number = this.find(account)
    if (number === undefined) throw new CodedError('account-not-found', { account })
    return number
  }

  /** A registration that was undone must not be remembered. */
  forget(): void {
    this.#numbers.clear()
  }

  register(account: AccountId, given: NewAccount): 'created' | 'exists' {
    if (this.find(account) !== undefined) return 'exists'
    // Accounts are never removed, so that the highest number counts them.
    if ((this.#sql.highest.get() ?? 0) >= this.#limits.accountsMax)
      throw new CodedError('rate-limited', {}, { message: 'This relay takes no more accounts.' })
    if (given.invite) this.#useInvite(given.invite)
    this.#sql.insert.run(account, given.accountKey, given.nowMs)
    return 'created'
  }

  #useInvite({ hash, usesMax, expiresMs }: Invite): void {
    if ((this.#sql.invited.get(hash) ?? 0) >= usesMax) throw new CodedError('invite-used')
    this.#sql.useInvite.run(hash, expiresMs)
  }

  /** How often an invite was used, when it cannot be used any more anyway. */
  expireInvites(nowMs: number, countMax: number): number {
    return this.#sql.expireInvites.run(nowMs - this.#limits.keepInvitesMs, countMax).changes
  }

  get(account: AccountId): StoredAccount | undefined {
    const number = this.find(account)
    return number === undefined ? undefined : this.#sql.account.get(number)
  }

  raiseSerial(account: AccountId, seen: number): number {
    const number = this.numberOf(account)
    this.#sql.raise.run(seen, number)
    return this.#sql.account.get(number)?.serial ?? 0
  }

  putProfile(account: AccountId, profile: ProfileRow & { nowMs: number }): { accepted: boolean; version: number } {
    const number = this.numberOf(account)
    const now = this.#sql.profile.get(number)
    const version = now?.version ?? 0
    // The answer to the first try was lost: the same once more is no conflict.
    if (now && profile.version === version && equalBytes(profile.blob, now.blob)) return { accepted: true, version }
    if (profile.version !== version + 1) return { accepted: false, version }
    this.#dayBytes.charge(number, profile.blob.length, profile.nowMs)
    this.#sql.putProfile.run(number, profile.version, profile.blob)
    return { accepted: true, version: profile.version }
  }

  getProfile(account: AccountId): StoredProfile | undefined {
    const number = this.find(account)
    const stored = number === undefined ? undefined : this.#sql.account.get(number)
    if (number === undefined || !stored) return undefined
    const { version, blob } = this.#sql.profile.get(number) ?? { version: 0, blob: new Uint8Array() }
    return { accountKey: stored.accountKey, version, blob }
  }
}
