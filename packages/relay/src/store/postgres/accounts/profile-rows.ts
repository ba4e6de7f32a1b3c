// Profiles of accounts: the newest version of each, encrypted.
import type { AccountId } from '@postern/protocol'
import type { StoredProfile } from '../../relay-store.ts'
import { judgeProfile, type ProfileVersion } from '../../rules/judge-profile.ts'
import type { Postgres } from '../connection/database.ts'
import type { AccountLock } from './account-lock.ts'
import type { DayBytesRows } from './day-bytes.ts'

type Row = { accountKey: Uint8Array; version: number | null; blob: Uint8Array | null }

export class PgProfileRows {
  readonly #database: Postgres
  readonly #turns: AccountLock
  readonly #dayBytes: DayBytesRows

  constructor(database: Postgres, { turns, dayBytes }: { turns: AccountLock; dayBytes: DayBytesRows }) {
    this.#database = database
    this.#turns = turns
    this.#dayBytes = dayBytes
  }

  put(
    account: AccountId,
    profile: ProfileVersion & { nowMs: number },
    signal?: AbortSignal,
  ): Promise<{ accepted: boolean; version: number }> {
    return this.#turns.run(
      account,
      async (tx, of) => {
        const now = await tx.one<ProfileVersion>('SELECT version, blob FROM profile WHERE account = $1', [of.num])
        const verdict = judgeProfile(now, profile)
        if (verdict === 'refused') return { accepted: false, version: now?.version ?? 0 }
        const { version, blob, nowMs } = profile
        if (verdict === 'next') {
          await this.#dayBytes.charge(tx, of, { bytes: blob.length, nowMs })
          await tx.run(
            `INSERT INTO profile (account, version, blob) VALUES ($1, $2, $3)
           ON CONFLICT (account) DO UPDATE SET version = excluded.version, blob = excluded.blob`,
            [of.num, version, blob],
          )
        }
        return { accepted: true, version }
      },
      signal,
    )
  }

  async get(account: AccountId, signal?: AbortSignal): Promise<StoredProfile | undefined> {
    const row = await this.#database.until(signal).one<Row>(
      `SELECT account_key AS "accountKey", version, blob
       FROM account LEFT JOIN profile ON profile.account = num WHERE id = $1 AND deleted_ms IS NULL`,
      [account],
    )
    return row && { accountKey: row.accountKey, version: row.version ?? 0, blob: row.blob ?? new Uint8Array() }
  }
}
