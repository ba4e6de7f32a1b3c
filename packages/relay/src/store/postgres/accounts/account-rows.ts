// Accounts: keys, bans, and the facts that an operator sees.
import { type AccountId, CodedError, postgresLimits } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { AccountFacts, AccountsAsked, NewAccount, StoredAccount } from '../../relay-store.ts'
import { accountsRefusal } from '../../rules/counts.ts'
import { dayOf, newPeopleLeft, ofToday } from '../../rules/day-limits.ts'
import { BatchQueue } from '../connection/batch-queue.ts'
import type { Postgres } from '../connection/database.ts'
import type { Hints } from '../connection/hints.ts'
import type { Queries } from '../connection/queries.ts'
import type { AccountLock } from './account-lock.ts'
import type { AccountNumbers } from './account-numbers.ts'
import type { PgInviteRows } from './invite-rows.ts'

type Parts = {
  numbers: AccountNumbers
  turns: AccountLock
  invites: PgInviteRows
  hints: Hints
  limits: RelayLimits
}
type FactsRow = Omit<AccountFacts, 'bannedMs'> & { bannedMs: number | null }

type AccountRow = StoredAccount & { id: AccountId }
type ShownSerial = { account: AccountId; serial: number }
/** The highest that was seen; null for an account that is not there. */
type RaisedRow = { serial: number | null; isBusy: boolean }
type Seen = { account: AccountId; day: number }

const ACCOUNTS = `
  SELECT id, account_key AS "accountKey", serial, seen_day AS "seenDay", coalesce(cursor, 0) AS cursor, coalesce(mark, 0) AS mark,
    (SELECT count(*) FROM key_package WHERE key_package.account = account.num AND taken_ms IS NULL) AS "keyPackages"
  FROM account LEFT JOIN progress ON progress.account = num WHERE id = ANY ($1::text[]) AND deleted_ms IS NULL`

/** Skips locked rows: nobody may wait for this, and the next login notes it again. */
const SEEN = `
  UPDATE account SET seen_day = told.day FROM unnest($1::text[], $2::integer[]) AS told (id, day)
  WHERE account.id = told.id AND account.num = ANY (ARRAY(
    SELECT num FROM account WHERE id = ANY ($1::text[]) FOR NO KEY UPDATE SKIP LOCKED))`

const RAISE = 'SELECT serial, is_busy AS "isBusy" FROM raise_serials($1::text[], $2::bigint[], $3, $4)'

const FACTS = `
  SELECT id AS account, created_ms AS "createdMs", seen_day AS "seenDay", group_count AS groups, banned_ms AS "bannedMs",
    coalesce((SELECT bytes FROM day_bytes WHERE day_bytes.account = num AND day = $1), 0) AS "bytesToday",
    (SELECT coalesce(sum(size), 0)::bigint FROM blob WHERE owner = num AND done_ms IS NOT NULL) AS "blobBytes"
  FROM account`

const factsIn = ({ bannedMs, ...facts }: FactsRow): AccountFacts => ({ ...facts, bannedMs: bannedMs ?? undefined })

export class PgAccountRows {
  readonly #database: Postgres
  readonly #numbers: AccountNumbers
  readonly #turns: AccountLock
  readonly #invites: PgInviteRows
  readonly #hints: Hints
  readonly #limits: RelayLimits
  readonly #reads: BatchQueue<AccountId, StoredAccount | undefined>
  readonly #seen: BatchQueue<Seen, undefined>
  readonly #raised: BatchQueue<ShownSerial, RaisedRow>

  constructor(database: Postgres, { numbers, turns, invites, hints, limits }: Parts) {
    this.#database = database
    this.#numbers = numbers
    this.#turns = turns
    this.#invites = invites
    this.#hints = hints
    this.#limits = limits
    const batchMax = postgresLimits.readsPerQuery
    this.#reads = new BatchQueue({ run: accounts => this.#getAll(accounts), batchMax })
    this.#seen = new BatchQueue({ run: seen => this.#noteAllSeen(seen), batchMax, keyOf: ({ account }) => account })
    this.#raised = new BatchQueue({
      run: shown => this.#raiseAll(database, shown),
      batchMax: postgresLimits.batchClaims,
      keyOf: ({ account }) => account,
    })
  }

  async register(account: AccountId, given: NewAccount, signal?: AbortSignal): Promise<'created' | 'exists'> {
    if (await this.#numbers.find(account, signal)) return 'exists'
    return await this.#database.transaction(async tx => {
      // First: a registration of the same account at another relay waits here, and then uses up no invite.
      const made = await tx.run(
        `INSERT INTO account (id, account_key, created_ms, seen_day) VALUES ($1, $2, $3, $4)
         ON CONFLICT (id) DO NOTHING`,
        [account, given.accountKey, given.nowMs, dayOf(given.nowMs)],
      )
      if (made === 0) {
        const buried = await tx.one('SELECT 1 FROM account WHERE id = $1 AND deleted_ms IS NOT NULL', [account])
        if (buried) throw new CodedError('account-unknown')
        return 'exists'
      }
      if (given.invite) await this.#invites.use(tx, given.invite)
      await this.#count(tx)
      return 'created'
    }, signal)
  }

  /**
   * One row counts the accounts for all relays, so that the limit is exact.
   * Last, because all registrations wait for it.
   */
  async #count(tx: Queries): Promise<void> {
    const { accountsMax } = this.#limits
    const counted = await tx.run('UPDATE account_total SET accounts = accounts + 1 WHERE accounts < $1', [accountsMax])
    const refusal = counted > 0 ? undefined : accountsRefusal(this.#limits, accountsMax)
    if (refusal) throw refusal
  }

  /** Batched with all concurrent requests: after a restart of the relay, all clients log in. */
  get(account: AccountId, signal?: AbortSignal): Promise<StoredAccount | undefined> {
    return this.#reads.ask(account, signal)
  }

  async #getAll(accounts: readonly AccountId[]): Promise<(StoredAccount | undefined)[]> {
    const rows = await this.#database.rows<AccountRow>(ACCOUNTS, [accounts])
    const found = new Map(rows.map(({ id, ...stored }) => [id, stored]))
    return accounts.map(account => found.get(account))
  }

  /** Nothing from a revoked device is accepted afterwards. Relays that may hold such a device are notified. */
  async raiseSerial(account: AccountId, seen: number, signal?: AbortSignal): Promise<number> {
    const shown = { account, serial: seen }
    const together = await this.#raised.ask(shown, signal)
    const row = together.isBusy ? (await this.#raiseAll(this.#database.until(signal), [shown], 'waits'))[0] : together
    if (typeof row?.serial !== 'number') throw new CodedError('account-not-found', { account })
    return row.serial
  }

  /** Without `waits`, a busy account does not hold up the others of the batch. */
  #raiseAll(queries: Queries, batch: readonly ShownSerial[], waits?: 'waits'): Promise<RaisedRow[]> {
    return queries.rows<RaisedRow>(RAISE, [
      batch.map(({ account }) => account),
      batch.map(({ serial }) => serial),
      this.#hints.own,
      waits === 'waits',
    ])
  }

  async noteSeen(account: AccountId, nowMs: number): Promise<void> {
    await this.#seen.ask({ account, day: dayOf(nowMs) })
  }

  /** Does not wait for a standby: a note lost in a crash is repeated at the next login. */
  async #noteAllSeen(seen: readonly Seen[]): Promise<undefined[]> {
    await this.#database.transaction(async tx => {
      await tx.rows("SELECT set_config('synchronous_commit', 'off', true)")
      await tx.run(SEEN, [seen.map(({ account }) => account), seen.map(({ day }) => day)])
    })
    return seen.map(() => undefined)
  }

  async setBanned(account: AccountId, bannedMs: number | undefined): Promise<void> {
    const kind = bannedMs === undefined ? 'unbanned' : 'banned'
    await this.#turns.run(account, async (tx, { num }) => {
      if (kind === 'banned') await tx.rows('SELECT end_devices($1, $2)', [num, null])
      await tx.run('UPDATE account SET banned_ms = $2 WHERE num = $1', [num, bannedMs ?? null])
      await this.#hints.tell(tx, { kind, account })
    })
  }

  async banned(): Promise<AccountId[]> {
    const rows = await this.#database.rows<{ id: AccountId }>('SELECT id FROM account WHERE banned_ms IS NOT NULL')
    return rows.map(({ id }) => id)
  }

  async newPeopleLeft(account: AccountId, nowMs: number, signal?: AbortSignal): Promise<number> {
    const met = await this.#database
      .until(signal)
      .one<{ day: number; count: number }>(
        'SELECT people_day AS day, people_count AS count FROM account WHERE id = $1 AND deleted_ms IS NULL',
        [account],
      )
    if (!met) throw new CodedError('account-not-found', { account })
    return newPeopleLeft(this.#limits, ofToday(met, dayOf(nowMs))?.count ?? 0)
  }

  async facts(account: AccountId, nowMs: number): Promise<AccountFacts | undefined> {
    const row = await this.#database.one<FactsRow>(`${FACTS} WHERE id = $2 AND deleted_ms IS NULL`, [
      dayOf(nowMs),
      account,
    ])
    return row && factsIn(row)
  }

  async list({ countMax, nowMs, after, which }: AccountsAsked): Promise<AccountFacts[]> {
    const below = after === undefined ? undefined : await this.#numbers.numberOf(after)
    const shown = [
      ...(which === 'banned' ? ['banned_ms IS NOT NULL'] : []),
      '($2::integer IS NULL OR num < $2)',
      'deleted_ms IS NULL',
    ].join(' AND ')
    const text = `${FACTS} WHERE ${shown} ORDER BY num DESC LIMIT $3`
    return (await this.#database.rows<FactsRow>(text, [dayOf(nowMs), below ?? null, countMax])).map(factsIn)
  }
}
