// Accounts: keys, acknowledged positions, and counts in total and per day.
import { type AccountId, CodedError, WeightedCache } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { AccountFacts, AccountsAsked, NewAccount, StoredAccount } from '../../relay-store.ts'
import { accountsRefusal } from '../../rules/counts.ts'
import { dayOf } from '../../rules/day-limits.ts'
import type { Sqlite } from '../database.ts'
import type { DatabaseRoom } from '../database-room.ts'
import type { InviteRows } from './invite-rows.ts'

/** Counts of one account; days are counted from 1970. */
type PeopleMet = { day: number; count: number }
type BlobsBegun = { day: number; count: number; bytes: number }
type BytesStored = { day: number; bytes: number; createdMs: number }

type Parts = { limits: RelayLimits; invites: InviteRows; room: DatabaseRoom }

export class AccountRows {
  readonly #limits: RelayLimits
  readonly #invites: InviteRows
  readonly #room: DatabaseRoom
  readonly #numbers: WeightedCache<AccountId, number>
  readonly #sql

  constructor(db: Sqlite, { limits, invites, room }: Parts) {
    this.#limits = limits
    this.#invites = invites
    this.#room = room
    this.#numbers = new WeightedCache(limits.accountsCachedMax)
    this.#sql = prepare(db)
  }

  /** The account's internal number, or undefined if it is not registered. */
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

  /** A registration that was rolled back must not stay in the cache. */
  forget(): void {
    this.#numbers.clear()
  }

  register(account: AccountId, given: NewAccount): 'created' | 'exists' {
    if (this.find(account) !== undefined) return 'exists'
    if (this.findDeleted(account) !== undefined) throw new CodedError('account-unknown')
    // A deleted account leaves its tombstone, so the highest number counts all accounts.
    const refusal = accountsRefusal(this.#limits, this.#sql.highest.get() ?? 0)
    if (refusal) throw refusal
    this.#room.check(0)
    if (given.invite) this.#invites.use(given.invite)
    this.#sql.insert.run(account, given.accountKey, given.nowMs, dayOf(given.nowMs))
    return 'created'
  }

  findDeleted(account: AccountId): number | undefined {
    return this.#sql.deletedNumber.get(account)
  }

  isDeleted(num: number): boolean {
    return this.#sql.isDeleted.get(num) !== undefined
  }

  get(account: AccountId): StoredAccount | undefined {
    const number = this.find(account)
    return number === undefined ? undefined : this.#sql.account.get(number)
  }

  raiseSerial(account: AccountId, seen: number): number {
    const number = this.numberOf(account)
    this.#sql.raiseSerial.run(seen, number)
    return this.#sql.account.get(number)?.serial ?? 0
  }

  setBanned(account: AccountId, bannedMs: number | undefined): void {
    this.#sql.setBanned.run(bannedMs ?? null, this.numberOf(account))
  }

  banned(): AccountId[] {
    return this.#sql.banned.all()
  }

  noteSeen(account: AccountId, nowMs: number): void {
    this.#sql.noteSeen.run(dayOf(nowMs), this.numberOf(account))
  }

  facts(account: AccountId, nowMs: number): AccountFacts | undefined {
    const row = this.#sql.facts.get(dayOf(nowMs), account)
    return row && factsIn(row)
  }

  list({ countMax, nowMs, after, which }: AccountsAsked): AccountFacts[] {
    const below = after === undefined ? Number.MAX_SAFE_INTEGER : this.numberOf(after)
    const list = which === 'banned' ? this.#sql.listBanned : this.#sql.list
    return list.all(dayOf(nowMs), below, countMax).map(factsIn)
  }

  counts(): { accounts: number; banned: number } {
    return { accounts: this.#sql.highest.get() ?? 0, banned: this.#sql.bannedCount.get() ?? 0 }
  }

  acknowledge(account: number, { cursor, mark }: { cursor: number; mark: number }): void {
    this.#sql.acknowledge.run(mark, cursor, account)
  }

  groupCount(account: number): number {
    return this.#sql.groupCount.get(account) ?? 0
  }

  countGroup(account: number, by: 1 | -1): void {
    this.#sql.countGroup.run(by, account)
  }

  peopleMet(account: number): PeopleMet | undefined {
    return this.#sql.peopleMet.get(account)
  }

  putPeopleMet(account: number, { day, count }: PeopleMet): void {
    this.#sql.putPeopleMet.run(day, count, account)
  }

  blobsBegun(account: number): BlobsBegun | undefined {
    return this.#sql.blobsBegun.get(account)
  }

  putBlobsBegun(account: number, { day, count, bytes }: BlobsBegun): void {
    this.#sql.putBlobsBegun.run(day, count, bytes, account)
  }

  bytesStored(account: number): BytesStored | undefined {
    return this.#sql.bytesStored.get(account)
  }

  putBytesStored(account: number, { day, bytes }: Pick<BytesStored, 'day' | 'bytes'>): void {
    this.#sql.putBytesStored.run(day, bytes, account)
  }
}

type FactsRow = Omit<AccountFacts, 'bannedMs'> & { bannedMs: number | null }

const factsIn = ({ bannedMs, ...facts }: FactsRow): AccountFacts => ({ ...facts, bannedMs: bannedMs ?? undefined })

const FACTS = `SELECT id AS account, created_ms AS createdMs, seen_day AS seenDay, group_count AS groups,
    banned_ms AS bannedMs, CASE bytes_day WHEN ? THEN bytes_used ELSE 0 END AS bytesToday,
    (SELECT coalesce(sum(size), 0) FROM blob WHERE owner = account.num AND done_ms IS NOT NULL) AS blobBytes
  FROM account`

function prepare(db: Sqlite) {
  return {
    ...prepareForOperator(db),
    number: db.prepare<[string], number>('SELECT num FROM account WHERE id = ? AND deleted_ms IS NULL').pluck(),
    deletedNumber: db
      .prepare<[string], number>('SELECT num FROM account WHERE id = ? AND deleted_ms IS NOT NULL')
      .pluck(),
    isDeleted: db.prepare<[number], 1>('SELECT 1 FROM account WHERE num = ? AND deleted_ms IS NOT NULL').pluck(),
    highest: db.prepare<[], number>('SELECT coalesce(max(num), 0) FROM account').pluck(),
    insert: db.prepare('INSERT INTO account (id, account_key, created_ms, seen_day) VALUES (?, ?, ?, ?)'),
    account: db.prepare<[number], StoredAccount>(
      `SELECT account_key AS accountKey, cursor, mark, serial, seen_day AS seenDay,
         (SELECT count(*) FROM key_package WHERE key_package.account = account.num AND taken_ms IS NULL) AS keyPackages
       FROM account WHERE num = ?`,
    ),
    raiseSerial: db.prepare('UPDATE account SET serial = max(serial, ?) WHERE num = ?'),
    // Never above the mailbox's head:
    // a cursor of another relay, or from the future, would hide entries that are still to come.
    acknowledge: db.prepare(
      `UPDATE account SET mark = max(mark, ?),
         cursor = max(cursor, min(?, coalesce((SELECT max(pos) FROM mailbox WHERE mailbox.account = account.num), 0)))
       WHERE num = ?`,
    ),
    groupCount: db.prepare<[number], number>('SELECT group_count FROM account WHERE num = ?').pluck(),
    countGroup: db.prepare('UPDATE account SET group_count = group_count + ? WHERE num = ?'),
    peopleMet: db.prepare<[number], PeopleMet>(
      'SELECT people_day AS day, people_count AS count FROM account WHERE num = ?',
    ),
    putPeopleMet: db.prepare('UPDATE account SET people_day = ?, people_count = ? WHERE num = ?'),
    blobsBegun: db.prepare<[number], BlobsBegun>(
      'SELECT blob_day AS day, blob_count AS count, blob_bytes AS bytes FROM account WHERE num = ?',
    ),
    putBlobsBegun: db.prepare('UPDATE account SET blob_day = ?, blob_count = ?, blob_bytes = ? WHERE num = ?'),
    bytesStored: db.prepare<[number], BytesStored>(
      'SELECT bytes_day AS day, bytes_used AS bytes, created_ms AS createdMs FROM account WHERE num = ?',
    ),
    putBytesStored: db.prepare('UPDATE account SET bytes_day = ?, bytes_used = ? WHERE num = ?'),
  }
}

function prepareForOperator(db: Sqlite) {
  return {
    setBanned: db.prepare('UPDATE account SET banned_ms = ? WHERE num = ?'),
    banned: db.prepare<[], AccountId>('SELECT id FROM account WHERE banned_ms IS NOT NULL').pluck(),
    bannedCount: db
      .prepare<[], number>('SELECT count(*) FROM account WHERE banned_ms IS NOT NULL AND deleted_ms IS NULL')
      .pluck(),
    noteSeen: db.prepare('UPDATE account SET seen_day = ? WHERE num = ?'),
    facts: db.prepare<[number, string], FactsRow>(`${FACTS} WHERE id = ? AND deleted_ms IS NULL`),
    list: db.prepare<[number, number, number], FactsRow>(
      `${FACTS} WHERE num < ? AND deleted_ms IS NULL ORDER BY num DESC LIMIT 0 + ?`,
    ),
    listBanned: db.prepare<[number, number, number], FactsRow>(
      `${FACTS} WHERE banned_ms IS NOT NULL AND deleted_ms IS NULL AND num < ? ORDER BY num DESC LIMIT 0 + ?`,
    ),
  }
}
