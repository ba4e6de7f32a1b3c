// Mailboxes: what waits for an account, in order, and how far it has acknowledged.
import type { AccountId } from '@postern/protocol'
import type { Entry } from '@postern/protocol/relay'
import { entryBytes } from '../entry-bytes.ts'
import type { Page, PageBounds } from '../relay-store.ts'
import type { AccountRows } from './account-rows.ts'
import type { Sqlite } from './database.ts'
import { accountsIn, kindOf } from './entry-rows.ts'
import type { RecentEntries } from './recent-entries.ts'

type Row = Omit<Entry, 'kind' | 'added' | 'removed'> & {
  kind: number
  added: Uint8Array | null
  removed: Uint8Array | null
}
type Reached = { cursor: number; mark: number }
type Waiting = Reached & { settled: PromiseWithResolvers<void> }

export class MailboxRows {
  readonly #accounts: AccountRows
  readonly #recent: RecentEntries
  readonly #sql
  /** Acknowledgements that wait for a transaction; `#written` are those of the one that is under way. */
  #waiting = new Map<number, Waiting>()
  #written = new Map<number, Waiting>()

  constructor(db: Sqlite, parts: { accounts: AccountRows; recent: RecentEntries }) {
    this.#accounts = parts.accounts
    this.#recent = parts.recent
    this.#sql = {
      cursors: db
        .prepare<[number, number, number], number>(
          `SELECT pos FROM mailbox
           WHERE account = ? AND pos > max(?, (SELECT floor FROM retention) - 1) ORDER BY pos LIMIT ?`,
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
         ORDER BY mailbox.pos LIMIT ?`,
      ),
      head: db
        .prepare<[number], number>(
          `SELECT max(cursor, coalesce((SELECT max(pos) FROM mailbox WHERE mailbox.account = account.num), 0))
           FROM account WHERE num = ?`,
        )
        .pluck(),
      // Never above what is there: a cursor of another relay, or of the future, would hide what is still to come.
      acknowledge: db.prepare(
        `UPDATE account SET mark = max(mark, ?),
           cursor = max(cursor, min(?, coalesce((SELECT max(pos) FROM mailbox WHERE mailbox.account = account.num), 0)))
         WHERE num = ?`,
      ),
    }
  }

  /** At least one entry when there is any, then as many as fit. */
  read(account: AccountId, after: number, bounds: PageBounds): Page {
    const number = this.#accounts.numberOf(account)
    const cursors = this.#sql.cursors.all(number, after, bounds.entriesMax)
    const recent = cursors.map(cursor => this.#recent.get(cursor))
    const entries = recent.includes(undefined)
      ? this.#fromDisk(number, after, bounds)
      : fitting(recent as Entry[], bounds.bytesMax)
    const more = entries.length > 0 && (entries.length < cursors.length || cursors.length === bounds.entriesMax)
    return { entries, more }
  }

  #fromDisk(number: number, after: number, bounds: PageBounds): Entry[] {
    return fitting(this.#rows(number, after, bounds.entriesMax), bounds.bytesMax)
  }

  *#rows(number: number, after: number, entriesMax: number): Generator<Entry> {
    for (const row of this.#sql.page.iterate(number, after, entriesMax)) yield entryOf(row)
  }

  head(account: AccountId): number {
    return this.#sql.head.get(this.#accounts.numberOf(account)) ?? 0
  }

  /** Shares the next transaction; a later one of the same account takes its place. */
  acknowledge(account: AccountId, reached: Reached): Promise<void> {
    const number = this.#accounts.numberOf(account)
    const waiting = this.#waiting.get(number)
    if (!waiting) {
      const settled = Promise.withResolvers<void>()
      this.#waiting.set(number, { ...reached, settled })
      return settled.promise
    }
    waiting.cursor = Math.max(waiting.cursor, reached.cursor)
    waiting.mark = Math.max(waiting.mark, reached.mark)
    return waiting.settled.promise
  }

  get waits(): boolean {
    return this.#waiting.size > 0
  }

  writeWaiting(): void {
    for (const [number, { cursor, mark }] of this.#waiting) this.#sql.acknowledge.run(mark, cursor, number)
    this.#written = this.#waiting
    this.#waiting = new Map()
  }

  committed(): void {
    for (const { settled } of this.#written.values()) settled.resolve()
    this.#written = new Map()
  }

  /** They wait for the next transaction. */
  rolledBack(): void {
    for (const [number, written] of this.#written) this.#waiting.set(number, written)
    this.#written = new Map()
  }
}

const entryOf = (row: Row): Entry => ({
  ...row,
  kind: kindOf(row.kind),
  added: accountsIn(row.added),
  removed: accountsIn(row.removed),
})

function fitting(candidates: Iterable<Entry>, bytesMax: number): Entry[] {
  const entries: Entry[] = []
  let bytes = 0
  for (const entry of candidates) {
    bytes += entryBytes(entry)
    if (bytes > bytesMax && entries.length > 0) break
    entries.push(entry)
  }
  return entries
}
