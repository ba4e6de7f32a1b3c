// Mailboxes: the entries that wait for an account, in order, and its acknowledged position.
import { type AccountId, Deferred } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import type { Page, PageBounds } from '../../relay-store.ts'
import { rowBytes } from '../../rules/costs.ts'
import type { UnreadTotals } from '../../rules/mailbox-room.ts'
import { accountsIn, fitting, kindOf } from '../../stored-entry.ts'
import type { AccountRows } from '../accounts/account-rows.ts'
import type { Sqlite } from '../database.ts'
import type { HeldGroup } from '../groups/group-rows.ts'
import type { MailboxTails } from './mailbox-tails.ts'
import type { RecentEntries } from './recent-entries.ts'

type Row = Omit<MailboxEntry, 'kind' | 'added' | 'removed'> & {
  kind: number
  added: Uint8Array | null
  removed: Uint8Array | null
}
type Reader = { num: number; id: AccountId }
type Reached = { cursor: number; mark: number }
type Unwritten = Reached & { settled: Deferred }

export class MailboxRows {
  readonly #accounts: AccountRows
  readonly #recent: RecentEntries
  readonly #tails: MailboxTails
  readonly #sql
  /** Accounts whose mailbox has grown in this transaction, and in those committed since the last answer. */
  readonly #grown = new Set<AccountId>()
  #committed = new Set<AccountId>()
  /** Acknowledgements that wait for a transaction; `#written` are those of the current one. */
  #unwritten = new Map<number, Unwritten>()
  #written = new Map<number, Unwritten>()

  constructor(db: Sqlite, parts: { accounts: AccountRows; recent: RecentEntries; tails: MailboxTails }) {
    this.#accounts = parts.accounts
    this.#recent = parts.recent
    this.#tails = parts.tails
    this.#sql = {
      // With a bare LIMIT ? SQLite compiles the statement on every call, which takes six times as long as the read.
      cursors: db
        .prepare<[number, number, number], number>(
          `SELECT pos FROM mailbox
           WHERE account = ? AND pos > max(?, (SELECT floor FROM retention) - 1) ORDER BY pos LIMIT 0 + ?`,
        )
        .pluck(),
      page: db.prepare<[number, number, number], Row>(
        `SELECT mailbox.pos AS cursor, chat_group.id AS "group", entry.seq, entry.kind, account.id AS sender,
           entry.ts, entry.payload, entry.added, entry.removed
         FROM mailbox
         JOIN entry ON entry.pos = mailbox.pos
         JOIN chat_group ON chat_group.num = entry.chat_group
         JOIN account ON account.num = entry.sender
         WHERE mailbox.account = ?
           AND mailbox.pos > max(?, (SELECT floor FROM retention) - 1)
         ORDER BY mailbox.pos LIMIT 0 + ?`,
      ),
      head: db
        .prepare<[number], number>(
          `SELECT max(cursor, coalesce((SELECT max(pos) FROM mailbox WHERE mailbox.account = account.num), 0))
           FROM account WHERE num = ?`,
        )
        .pluck(),
      toOne: db.prepare('INSERT INTO mailbox (account, pos) VALUES (?, ?)'),
      toMembers: db.prepare(
        `INSERT INTO mailbox (account, pos)
         SELECT account, ? FROM member WHERE chat_group = ? AND has_left = 0 AND account <> ?`,
      ),
      // The newest first: a sender that fills the mailbox shows up among them.
      waiting: db.prepare<[{ account: number; sender: number; rowsMax: number }], UnreadTotals>(
        `SELECT count(*) AS entries, coalesce(sum(bytes), 0) AS bytes,
           count(*) FILTER (WHERE sender = @sender) AS ownEntries,
           coalesce(sum(bytes) FILTER (WHERE sender = @sender), 0) AS ownBytes
         FROM (SELECT length(entry.payload) + ${rowBytes.entry} AS bytes, entry.sender
               FROM mailbox JOIN entry ON entry.pos = mailbox.pos
               WHERE mailbox.account = @account AND mailbox.pos > (SELECT cursor FROM account WHERE num = @account)
               ORDER BY mailbox.pos DESC LIMIT 0 + @rowsMax)`,
      ),
      nextAccount: db
        .prepare<[number], number>('SELECT account FROM mailbox WHERE account > ? ORDER BY account LIMIT 1')
        .pluck(),
      dropBelow: db.prepare(
        `DELETE FROM mailbox WHERE account = @account AND pos IN
           (SELECT pos FROM mailbox WHERE account = @account AND pos < @floor ORDER BY pos LIMIT 0 + @countMax)`,
      ),
    }
  }

  deliverToMembers(group: HeldGroup, pos: number, options: { except: number | undefined }): void {
    if (group.members.size > 2) this.#sql.toMembers.run(pos, group.num, options.except ?? 0)
    for (const [num, id] of group.members) {
      if (num === options.except) continue
      // In a group of two, the members need not be looked up.
      if (group.members.size <= 2) this.#sql.toOne.run(num, pos)
      this.#grow({ num, id }, pos)
    }
  }

  deliverTo(account: Reader, pos: number): void {
    this.#sql.toOne.run(account.num, pos)
    this.#grow(account, pos)
  }

  #grow({ num, id }: Reader, pos: number): void {
    this.#grown.add(id)
    this.#tails.grow(num, pos)
  }

  /** Returns the accounts whose mailbox has grown since the last call. */
  drainGrown(): ReadonlySet<AccountId> {
    const grown = this.#committed
    this.#committed = new Set()
    return grown
  }

  /** Unread entries of an account, and those of one sender, among the newest rows only. */
  waiting(of: { account: number; sender: number; rowsMax: number }): UnreadTotals | undefined {
    return this.#sql.waiting.get(of)
  }

  /** The next account number that has a mailbox. */
  nextAccount(after: number): number | undefined {
    return this.#sql.nextAccount.get(after)
  }

  /** Cached positions may refer to entries that are gone from the log. */
  entriesDropped(): void {
    this.#tails.forget()
  }

  /** Returns how many references it removed. */
  dropBelow(floor: number, of: { account: number; countMax: number }): number {
    return this.#sql.dropBelow.run({ ...of, floor }).changes
  }

  /** Returns at least one entry if there is any, then as many as fit. */
  read(account: AccountId, after: number, bounds: PageBounds): Page {
    const number = this.#accounts.numberOf(account)
    const cursors = this.#cursors(number, after, bounds.entriesMax)
    const recent = cursors.map(cursor => this.#recent.get(cursor))
    const entries = recent.includes(undefined)
      ? this.#fromDisk(number, after, bounds)
      : fitting(recent as MailboxEntry[], bounds.bytesMax)
    const more = entries.length > 0 && (entries.length < cursors.length || cursors.length === bounds.entriesMax)
    return { entries, more }
  }

  #cursors(number: number, after: number, countMax: number): number[] {
    const newest = this.#tails.read(number, after)
    if (newest) return newest.length > countMax ? newest.slice(0, countMax) : newest
    const cursors = this.#sql.cursors.all(number, after, countMax)
    if (cursors.length < countMax) this.#tails.keep(number, after, cursors)
    return cursors
  }

  #fromDisk(number: number, after: number, bounds: PageBounds): MailboxEntry[] {
    return fitting(this.#rows(number, after, bounds.entriesMax), bounds.bytesMax)
  }

  *#rows(number: number, after: number, entriesMax: number): Generator<MailboxEntry> {
    for (const row of this.#sql.page.iterate(number, after, entriesMax)) yield entryOf(row)
  }

  head(account: AccountId): number {
    return this.#sql.head.get(this.#accounts.numberOf(account)) ?? 0
  }

  /** Shares the next transaction; a later one of the same account replaces it. */
  acknowledge(account: AccountId, reached: Reached): Promise<void> {
    const number = this.#accounts.find(account)
    // Deleted in the meantime: there is nothing to store.
    if (number === undefined) return Promise.resolve()
    const earlier = this.#unwritten.get(number)
    if (!earlier) {
      const settled = new Deferred()
      this.#unwritten.set(number, { ...reached, settled })
      return settled.promise
    }
    earlier.cursor = Math.max(earlier.cursor, reached.cursor)
    earlier.mark = Math.max(earlier.mark, reached.mark)
    return earlier.settled.promise
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.size > 0
  }

  hasUnwrittenOf(account: AccountId): boolean {
    const number = this.#accounts.find(account)
    return number !== undefined && this.#unwritten.has(number)
  }

  writeAcknowledged(): void {
    for (const [number, reached] of this.#unwritten) this.#accounts.acknowledge(number, reached)
    this.#written = this.#unwritten
    this.#unwritten = new Map()
  }

  committed(): void {
    for (const account of this.#grown) this.#committed.add(account)
    this.#grown.clear()
    this.#tails.committed()
    for (const { settled } of this.#written.values()) settled.resolve()
    this.#written = new Map()
  }

  /** Acknowledgements wait for the next transaction. */
  rolledBack(): void {
    this.#grown.clear()
    this.#tails.rolledBack()
    for (const [number, written] of this.#written) this.#unwritten.set(number, written)
    this.#written = new Map()
  }
}

const entryOf = (row: Row): MailboxEntry => ({
  ...row,
  kind: kindOf(row.kind),
  added: accountsIn(row.added),
  removed: accountsIn(row.removed),
})
