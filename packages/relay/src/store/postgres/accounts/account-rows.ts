// Accounts: their keys, who is shut out, and what their operator is shown.
import { type AccountId, CodedError, postgresLimits } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { AccountFacts, AccountsAsked, NewAccount, StoredAccount } from '../../relay-store.ts'
import { accountsRefusal } from '../../rules/counts.ts'
import { dayOf } from '../../rules/day-limits.ts'
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
type Seen = { account: AccountId; day: number }

const ACCOUNTS = `
  SELECT id, account_key AS "accountKey", serial, seen_day AS "seenDay", coalesce(cursor, 0) AS cursor, coalesce(mark, 0) AS mark,
    (SELECT count(*) FROM key_package WHERE key_package.account = account.num AND taken_ms IS NULL) AS "keyPackages"
  FROM account LEFT JOIN progress ON progress.account = num WHERE id = ANY ($1::text[]) AND deleted_ms IS NULL`

/** A row that somebody else is changing is passed over: nobody may wait for this, and the next login notes it again. */
const SEEN = `
  UPDATE account SET seen_day = told.day FROM unnest($1::text[], $2::integer[]) AS told (id, day)
  WHERE account.id = told.id AND account.num = ANY (ARRAY(
    SELECT num FROM account WHERE id = ANY ($1::text[]) FOR NO KEY UPDATE SKIP LOCKED))`

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
  }

  async register(account: AccountId, given: NewAccount): Promise<'created' | 'exists'> {
    if (await this.#numbers.find(account)) return 'exists'
    return await this.#database.transaction(async tx => {
      // First: who registers the same account at another relay waits here, and then uses nothing up.
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
    })
  }

  /** One row counts them for all relays, so that the limit is exact. Last: all who register wait for it. */
  async #count(tx: Queries): Promise<void> {
    const { accountsMax } = this.#limits
    const counted = await tx.run('UPDATE account_total SET accounts = accounts + 1 WHERE accounts < $1', [accountsMax])
    const refusal = counted > 0 ? undefined : accountsRefusal(this.#limits, accountsMax)
    if (refusal) throw refusal
  }

  /** Together with all that are asked for at that time: after a restart of the relay, everybody logs in. */
  get(account: AccountId, signal?: AbortSignal): Promise<StoredAccount | undefined> {
    return this.#reads.ask(account, signal)
  }

  async #getAll(accounts: readonly AccountId[]): Promise<(StoredAccount | undefined)[]> {
    const rows = await this.#database.rows<AccountRow>(ACCOUNTS, [accounts])
    const found = new Map(rows.map(({ id, ...stored }) => [id, stored]))
    return accounts.map(account => found.get(account))
  }

  /** Nothing of whom it revokes is taken behind it. Other relays are told: they may be connected there. */
  raiseSerial(account: AccountId, seen: number): Promise<number> {
    return this.#turns.run(account, async (tx, { num }) => {
      const row = await tx.one<{ serial: number }>('SELECT serial FROM account WHERE num = $1', [num])
      if (row && row.serial >= seen) return row.serial
      await tx.rows('SELECT end_devices($1, $2)', [num, seen])
      await tx.run('UPDATE account SET serial = $2 WHERE num = $1', [num, seen])
      await this.#hints.tell(tx, { kind: 'serial-raised', account, serial: seen })
      return seen
    })
  }

  async noteSeen(account: AccountId, nowMs: number): Promise<void> {
    await this.#seen.ask({ account, day: dayOf(nowMs) })
  }

  /** Without waiting for a standby: what a crash takes of it is noted at the next login. */
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
