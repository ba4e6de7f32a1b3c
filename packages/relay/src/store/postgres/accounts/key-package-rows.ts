// Key packages: each is handed out once, and the last resort when none is left.
import { createHash } from 'node:crypto'
import type { AccountId } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { HandedOutKeyPackage, PublishedKeyPackages } from '../../relay-store.ts'
import { keyPackagesCost } from '../../rules/costs.ts'
import { keyPackagesRefusal } from '../../rules/counts.ts'
import type { Postgres } from '../connection/database.ts'
import type { Queries } from '../connection/queries.ts'
import type { AccountLock } from './account-lock.ts'
import type { AccountNumbers } from './account-numbers.ts'
import type { DayBytesRows } from './day-bytes.ts'

type Parts = { numbers: AccountNumbers; turns: AccountLock; dayBytes: DayBytesRows; limits: RelayLimits }
type Counted = { count: number }

const HASH_BYTES = 16
const hashOf = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest().subarray(0, HASH_BYTES)

const LEFT = 'SELECT count(*) FROM key_package WHERE account = $1 AND taken_ms IS NULL'
/** Two concurrent requests skip each other's row and take different packages. */
const TAKE = `
  WITH next AS (
    SELECT num, data FROM key_package WHERE account = $1 AND taken_ms IS NULL
    ORDER BY num LIMIT 1 FOR UPDATE SKIP LOCKED)
  UPDATE key_package SET data = NULL, taken_ms = $2 FROM next WHERE key_package.num = next.num RETURNING next.data`

export class PgKeyPackageRows {
  readonly #database: Postgres
  readonly #numbers: AccountNumbers
  readonly #turns: AccountLock
  readonly #dayBytes: DayBytesRows
  readonly #limits: RelayLimits

  constructor(database: Postgres, { numbers, turns, dayBytes, limits }: Parts) {
    this.#database = database
    this.#numbers = numbers
    this.#turns = turns
    this.#dayBytes = dayBytes
    this.#limits = limits
  }

  publish(account: AccountId, published: PublishedKeyPackages, signal?: AbortSignal): Promise<number> {
    return this.#turns.run(
      account,
      async (tx, of) => {
        const { replace, lastResort, nowMs } = published
        // The remaining packages go first: only packages that were handed out must not be stored again.
        if (replace) await this.#clear(tx, of.num)
        const wanted = new Map(published.oneTime.map(data => [hashOf(data).toString('hex'), data]))
        const taken = await this.#known(tx, of.num, [...wanted.keys()])
        const fresh = [...wanted].filter(([hash]) => !taken.has(hash))
        const kept = (await tx.one<Counted>(LEFT, [of.num]))?.count ?? 0
        const coming = replace ? wanted.size : fresh.length
        const refusal = keyPackagesRefusal(this.#limits, kept + coming)
        if (refusal) throw refusal
        const paid = replace ? [...wanted.values()] : fresh.map(([, data]) => data)
        await this.#dayBytes.charge(tx, of, { bytes: keyPackagesCost(paid.concat(lastResort ?? [])), nowMs })
        await this.#insert(tx, of.num, fresh)
        if (lastResort) await this.#putLast(tx, of.num, lastResort)
        return kept + fresh.length
      },
      signal,
    )
  }

  async handOut(account: AccountId, nowMs: number, signal?: AbortSignal): Promise<HandedOutKeyPackage | undefined> {
    const num = await this.#numbers.numberOf(account, signal)
    const database = this.#database.until(signal)
    const next = await database.one<{ data: Uint8Array }>(TAKE, [num, nowMs])
    if (next) return { keyPackage: next.data, lastResort: false }
    const last = await database.one<{ data: Uint8Array }>('SELECT data FROM last_resort WHERE account = $1', [num])
    return last && { keyPackage: last.data, lastResort: true }
  }

  async has(account: AccountId, signal?: AbortSignal): Promise<boolean> {
    const found = await this.#database.until(signal).one<{ has: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM key_package WHERE account = $1 AND taken_ms IS NULL)
         OR EXISTS (SELECT 1 FROM last_resort WHERE account = $1) AS has`,
      [await this.#numbers.numberOf(account, signal)],
    )
    return found?.has ?? false
  }

  /** Forgets packages handed out so long ago that no resend of them can be in flight. */
  expire(beforeMs: number, countMax: number): Promise<number> {
    return this.#database.run(
      `DELETE FROM key_package WHERE num IN
         (SELECT num FROM key_package WHERE taken_ms < $1 ORDER BY taken_ms LIMIT $2)`,
      [beforeMs, countMax],
    )
  }

  async #clear(tx: Queries, account: number): Promise<void> {
    await tx.run('DELETE FROM key_package WHERE account = $1 AND taken_ms IS NULL', [account])
    await tx.run('DELETE FROM last_resort WHERE account = $1', [account])
  }

  /** In one statement: a hundred statements would be a hundred round trips, during which the account is locked. */
  async #insert(tx: Queries, account: number, packages: [hash: string, data: Uint8Array][]): Promise<void> {
    if (packages.length === 0) return
    await tx.run(
      `INSERT INTO key_package (account, hash, data)
       SELECT $1, decode(hash, 'hex'), decode(data, 'hex')
       FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (hash, data, place) ORDER BY place`,
      [account, packages.map(([hash]) => hash), packages.map(([, data]) => Buffer.from(data).toString('hex'))],
    )
  }

  async #putLast(tx: Queries, account: number, data: Uint8Array): Promise<void> {
    await tx.run(
      `INSERT INTO last_resort (account, data) VALUES ($1, $2) ON CONFLICT (account) DO UPDATE SET data = excluded.data`,
      [account, data],
    )
  }

  /** The hashes that are already stored, handed out or not. */
  async #known(tx: Queries, account: number, hashes: string[]): Promise<Set<string>> {
    const rows = await tx.rows<{ hash: string }>(
      `SELECT encode(hash, 'hex') AS hash FROM key_package
       WHERE account = $1 AND hash IN (SELECT decode(h, 'hex') FROM unnest($2::text[]) h)`,
      [account, hashes],
    )
    return new Set(rows.map(({ hash }) => hash))
  }
}
