// Key packages: each is handed out once, and the last resort when none is left.
import { createHash } from 'node:crypto'
import type { AccountId } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { HandedOutKeyPackage, PublishedKeyPackages } from '../../relay-store.ts'
import { keyPackagesCost } from '../../rules/costs.ts'
import { keyPackagesRefusal } from '../../rules/counts.ts'
import type { Sqlite } from '../database.ts'
import type { AccountRows } from './account-rows.ts'
import type { DayBytes } from './day-bytes.ts'

const hashOf = (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest().subarray(0, 16)

export class KeyPackageRows {
  readonly #accounts: AccountRows
  readonly #dayBytes: DayBytes
  readonly #limits: RelayLimits
  readonly #sql

  constructor(db: Sqlite, parts: { accounts: AccountRows; dayBytes: DayBytes; limits: RelayLimits }) {
    this.#accounts = parts.accounts
    this.#dayBytes = parts.dayBytes
    this.#limits = parts.limits
    this.#sql = {
      known: db.prepare<[number, Uint8Array], 1>('SELECT 1 FROM key_package WHERE account = ? AND hash = ?').pluck(),
      left: db
        .prepare<[number], number>('SELECT count(*) FROM key_package WHERE account = ? AND taken_ms IS NULL')
        .pluck(),
      insert: db.prepare('INSERT INTO key_package (account, hash, data) VALUES (?, ?, ?)'),
      clear: db.prepare('DELETE FROM key_package WHERE account = ? AND taken_ms IS NULL'),
      clearLast: db.prepare('DELETE FROM last_resort WHERE account = ?'),
      putLast: db.prepare(
        'INSERT INTO last_resort (account, data) VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET data = excluded.data',
      ),
      next: db.prepare<[number], { num: number; data: Uint8Array }>(
        'SELECT num, data FROM key_package WHERE account = ? AND taken_ms IS NULL ORDER BY num LIMIT 1',
      ),
      markTaken: db.prepare('UPDATE key_package SET data = NULL, taken_ms = ? WHERE num = ?'),
      last: db.prepare<[number], Uint8Array>('SELECT data FROM last_resort WHERE account = ?').pluck(),
      expire: db.prepare(
        `DELETE FROM key_package WHERE num IN
           (SELECT num FROM key_package WHERE taken_ms IS NOT NULL AND taken_ms < ? ORDER BY taken_ms LIMIT 0 + ?)`,
      ),
    }
  }

  publish(account: AccountId, published: PublishedKeyPackages): number {
    const number = this.#accounts.numberOf(account)
    const fresh = new Map<string, { hash: Uint8Array; data: Uint8Array }>()
    for (const data of published.oneTime) {
      const hash = hashOf(data)
      // A replacement removes the remaining packages first:
      // only packages that were handed out must not be stored again.
      if (published.replace || !this.#sql.known.get(number, hash))
        fresh.set(Buffer.from(hash).toString('hex'), { hash, data })
    }
    const kept = published.replace ? 0 : (this.#sql.left.get(number) ?? 0)
    const refusal = keyPackagesRefusal(this.#limits, kept + fresh.size)
    if (refusal) throw refusal
    const data = [...fresh.values()].map(one => one.data).concat(published.lastResort ?? [])
    this.#dayBytes.charge(number, keyPackagesCost(data), published.nowMs)
    if (published.replace) {
      this.#sql.clear.run(number)
      this.#sql.clearLast.run(number)
    }
    for (const { hash, data } of fresh.values())
      if (!published.replace || !this.#sql.known.get(number, hash)) this.#sql.insert.run(number, hash, data)
    if (published.lastResort) this.#sql.putLast.run(number, published.lastResort)
    return this.#sql.left.get(number) ?? 0
  }

  handOut(account: AccountId, nowMs: number): HandedOutKeyPackage | undefined {
    const number = this.#accounts.numberOf(account)
    const next = this.#sql.next.get(number)
    if (next) {
      this.#sql.markTaken.run(nowMs, next.num)
      return { keyPackage: next.data, lastResort: false }
    }
    const last = this.#sql.last.get(number)
    return last && { keyPackage: last, lastResort: true }
  }

  has(account: AccountId): boolean {
    const number = this.#accounts.numberOf(account)
    return this.#sql.next.get(number) !== undefined || this.#sql.last.get(number) !== undefined
  }

  /** Forgets packages handed out so long ago that no resend of them can be in flight. */
  expire(beforeMs: number, countMax: number): number {
    return this.#sql.expire.run(beforeMs, countMax).changes
  }
}
