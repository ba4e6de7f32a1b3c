// Profiles of accounts: the newest version of each, encrypted.
import type { AccountId } from '@postern/protocol'
import type { StoredProfile } from '../../relay-store.ts'
import { judgeProfile, type ProfileVersion } from '../../rules/judge-profile.ts'
import type { Sqlite } from '../database.ts'
import type { AccountRows } from './account-rows.ts'
import type { DayBytes } from './day-bytes.ts'

const none: ProfileVersion = { version: 0, blob: new Uint8Array() }

export class ProfileRows {
  readonly #accounts: AccountRows
  readonly #dayBytes: DayBytes
  readonly #sql

  constructor(db: Sqlite, { accounts, dayBytes }: { accounts: AccountRows; dayBytes: DayBytes }) {
    this.#accounts = accounts
    this.#dayBytes = dayBytes
    this.#sql = {
      profile: db.prepare<[number], ProfileVersion>('SELECT version, blob FROM profile WHERE account = ?'),
      put: db.prepare(
        `INSERT INTO profile (account, version, blob) VALUES (?, ?, ?)
         ON CONFLICT (account) DO UPDATE SET version = excluded.version, blob = excluded.blob`,
      ),
    }
  }

  put(account: AccountId, profile: ProfileVersion & { nowMs: number }): { accepted: boolean; version: number } {
    const number = this.#accounts.numberOf(account)
    const now = this.#sql.profile.get(number)
    const verdict = judgeProfile(now, profile)
    if (verdict === 'refused') return { accepted: false, version: now?.version ?? 0 }
    if (verdict === 'next') {
      this.#dayBytes.charge(number, profile.blob.length, profile.nowMs)
      this.#sql.put.run(number, profile.version, profile.blob)
    }
    return { accepted: true, version: profile.version }
  }

  get(account: AccountId): StoredProfile | undefined {
    const stored = this.#accounts.get(account)
    if (!stored) return undefined
    const { version, blob } = this.#sql.profile.get(this.#accounts.numberOf(account)) ?? none
    return { accountKey: stored.accountKey, version, blob }
  }
}
