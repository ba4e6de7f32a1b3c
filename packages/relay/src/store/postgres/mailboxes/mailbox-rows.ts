// Mailboxes on PostgreSQL: the entries that wait for an account, in order. Concurrent reads share one statement.
import {
  type AccountId,
  type Clock,
  CodedError,
  Deferred,
  inBackground,
  isCoded,
  type Log,
  postgresLimits,
} from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import type { Page, PageBounds, StoredEntry } from '../../relay-store.ts'
import { accountsIn, kindOf } from '../../stored-entry.ts'
import type { AccountNumbers } from '../accounts/account-numbers.ts'
import { Backoff } from '../connection/backoff.ts'
import { BatchQueue } from '../connection/batch-queue.ts'
import type { Postgres } from '../connection/database.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'
import type { Queries } from '../connection/queries.ts'
import { WorkSize } from '../connection/work-size.ts'
import type { EntryCache } from './entry-cache.ts'

type Parts = { numbers: AccountNumbers; entries: EntryCache; clock: Clock; log: Log }
type Read = { account: AccountId; after: number; bounds: PageBounds; page: Deferred<Page> }
type NumberedRead = Read & { num: number }
type EntryPlace = { n: number; cursor: number; entry: number; bytes: number }
type EntryRow = Omit<MailboxEntry, 'cursor' | 'kind' | 'added' | 'removed'> & {
  entry: number
  kind: number
  added: Uint8Array | null
  removed: Uint8Array | null
}

export class PgMailboxRows {
  readonly #database: Postgres
  readonly #line: DedicatedConnection
  readonly #parts: Parts
  readonly #backoff = new Backoff()
  readonly #reads = new WorkSize(postgresLimits.readsPerQuery)
  readonly #stop = new AbortController()
  readonly #asked: Read[] = []
  readonly #heads: BatchQueue<AccountId, number | undefined>
  #isReading = false

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#line = database.line()
    this.#parts = parts
    this.#heads = new BatchQueue({ run: accounts => this.#headsOf(accounts), batchMax: postgresLimits.readsPerQuery })
  }

  async read(account: AccountId, after: number, bounds: PageBounds): Promise<Page> {
    const page = new Deferred<Page>()
    this.#asked.push({ account, after, bounds, page })
    if (!this.#isReading) inBackground(this.#readAll(), { what: 'mailboxes not readable', log: this.#parts.log })
    return await page.promise
  }

  /**
   * Resolves when everything accepted for the account before is in its mailbox. Waits for the account's own entries
   * alone, so a flood into other groups does not delay it. `turn` settles when some more entries are in mailboxes.
   */
  async filled(account: AccountId, turn: () => Promise<void>): Promise<void> {
    const num = await this.#parts.numbers.numberOf(account)
    let last = await this.#lastWaiting(num, Number.MAX_SAFE_INTEGER)
    while (last !== null) {
      await turn()
      last = await this.#lastWaiting(num, last)
    }
  }

  async #lastWaiting(num: number | undefined, upTo: number): Promise<number | null> {
    return (await this.#database.one<{ last: number | null }>(LAST_WAITING, [num, upTo]))?.last ?? null
  }

  /** Without entries that still wait for their mailboxes. */
  async head(account: AccountId, signal?: AbortSignal): Promise<number> {
    const head = await this.#heads.ask(account, signal)
    if (head === undefined) throw new CodedError('account-not-found', { account })
    return head
  }

  async #headsOf(accounts: readonly AccountId[]): Promise<(number | undefined)[]> {
    const found = await this.#parts.numbers.findAll(new Set(accounts))
    const nums = accounts.map(account => {
      const known = found.get(account)
      return known && !known.isDeleted ? known.num : undefined
    })
    const rows = await this.#database.rows<{ account: number; head: number }>(
      `SELECT asked.account, greatest((SELECT cursor FROM progress WHERE account = asked.account),
         (SELECT max(pos) FROM mailbox WHERE account = asked.account), 0) AS head
       FROM unnest($1::integer[]) AS asked (account)`,
      [nums.filter(num => num !== undefined)],
    )
    const heads = new Map(rows.map(({ account, head }) => [account, head]))
    return nums.map(num => num && heads.get(num))
  }

  /** Pending reads fail with `stopping`. */
  stop(): void {
    this.#stop.abort()
  }

  /**
   * Never rejects: each reader receives its own failure.
   * Reads that arrive in the meantime share the next statement.
   */
  async #readAll(): Promise<void> {
    this.#isReading = true
    // Readers that were woken in this turn ask in the same turn.
    await Promise.resolve()
    while (this.#asked.length > 0) {
      const reads = this.#asked.splice(0, this.#reads.size)
      const startedMs = this.#parts.clock.monotonicMs()
      try {
        const numbered = await this.#numbered(reads)
        if (numbered.length > 0) await this.#line.use(queries => this.#readTogether(queries, numbered))
        this.#backoff.reset()
        this.#reads.succeeded(this.#parts.clock.monotonicMs() - startedMs)
      } catch (error) {
        this.#reads.failed(error)
        await this.#failed(reads, error)
      }
    }
    this.#isReading = false
  }

  /**
   * While the database is unreachable, followers wait for it:
   * if they were cut off, all of them would reconnect at the same time.
   */
  async #failed(reads: readonly Read[], error: unknown): Promise<void> {
    const { signal } = this.#stop
    if (!isCoded(error, 'unavailable') || signal.aborted) {
      for (const { page } of reads) page.reject(signal.aborted ? new CodedError('stopping') : error)
      return
    }
    this.#asked.unshift(...reads.filter(({ page }) => !page.isSettled))
    const wait = new Deferred()
    wait.after(this.#parts.clock, this.#backoff.nextMs(), () => wait.resolve())
    wait.onAbort(signal, () => wait.resolve())
    await wait.promise
  }

  /** Looked up here, so that a reader waits for its number as for its page while the database is unreachable. */
  async #numbered(reads: readonly Read[]): Promise<NumberedRead[]> {
    const found = await this.#parts.numbers.findAll(new Set(reads.map(({ account }) => account)))
    return reads.flatMap(read => {
      const known = found.get(read.account)
      if (known && !known.isDeleted) return { ...read, num: known.num }
      read.page.reject(new CodedError('account-not-found', { account: read.account }))
      return []
    })
  }

  async #readTogether(queries: Queries, reads: readonly NumberedRead[]): Promise<void> {
    const [found, fresh] = await Promise.all([placesOf(queries, reads), this.#freshRows(queries, reads)])
    for (const row of fresh) this.#parts.entries.put(row.entry, storedEntry(row, 0))
    const places = Map.groupBy(found, ({ n }) => n)
    for (const [at, read] of reads.entries()) {
      const own = places.get(at + 1) ?? []
      const fit = fittingPlaces(own, read.bounds.bytesMax)
      const entries = await this.#entriesAt(queries, fit)
      const isCut = fit.length < own.length || own.length === read.bounds.entriesMax
      read.page.resolve({ entries, more: entries.length > 0 && isCut })
    }
  }

  /** Requested together with their places: a reader woken for another relay's entry would otherwise wait twice. */
  async #freshRows(queries: Queries, reads: readonly NumberedRead[]): Promise<EntryRow[]> {
    const { newestId } = this.#parts.entries
    return newestId === undefined ? [] : await freshRows(queries, reads, newestId)
  }

  async #entriesAt(queries: Queries, places: readonly EntryPlace[]): Promise<StoredEntry[]> {
    const { entries } = this.#parts
    const held = places.map(({ entry, cursor }) => entries.get(entry, cursor))
    const missing = places.filter((_, at) => held[at] === undefined)
    if (missing.length === 0) return held as StoredEntry[]
    const rows = new Map((await entryRows(queries, missing)).map(row => [row.entry, row]))
    // An entry that is gone since its place was read has expired.
    return places.flatMap(({ entry, cursor }, at) => {
      const row = rows.get(entry)
      const found = held[at] ?? (row && storedEntry(row, cursor))
      if (row && found) entries.put(entry, found)
      return found ?? []
    })
  }
}

/** The newest row of the outbox, up to an id, that is addressed to an account. */
const LAST_WAITING = `
  SELECT max(o.id) AS last FROM outbox o
  WHERE o.id <= $2 AND o.id >= (SELECT outbox_floor()) AND CASE WHEN o.recipients IS NOT NULL THEN $1::integer = ANY (o.recipients) ELSE EXISTS (
    SELECT 1 FROM member m WHERE m.chat_group = o.chat_group AND m.account = $1
      AND m.since < o.seq AND (m.until IS NULL OR o.seq <= m.until) AND (o.kind = 2 OR m.account <> o.sender)) END`

const placesOf = (queries: Queries, reads: readonly NumberedRead[]): Promise<EntryPlace[]> =>
  queries.rows<EntryPlace>(
    `SELECT asked.n, found.cursor, found.entry, found.bytes
     FROM unnest($1::integer[], $2::bigint[], $3::integer[]) WITH ORDINALITY AS asked (account, after, count, n)
     CROSS JOIN LATERAL (
       SELECT mailbox.pos AS cursor, mailbox.entry,
         octet_length(payload) + coalesce(octet_length(added), 0) + coalesce(octet_length(removed), 0) AS bytes
       FROM mailbox JOIN entry ON entry.id = mailbox.entry
       WHERE mailbox.account = asked.account AND mailbox.pos > asked.after
         AND mailbox.entry >= (SELECT floor FROM retention)
       ORDER BY mailbox.pos LIMIT asked.count) found
     ORDER BY asked.n, found.cursor`,
    [reads.map(({ num }) => num), reads.map(({ after }) => after), reads.map(({ bounds }) => bounds.entriesMax)],
  )

/** Subqueries, so that each is found by its number, whatever the size of the tables. */
const ENTRY_COLUMNS = `id AS entry, (SELECT id FROM chat_group WHERE num = entry.chat_group) AS "group", seq, kind,
  (SELECT id FROM account WHERE num = entry.sender) AS sender, ts, payload, added, removed`

/** Bounded by the first and the last id: otherwise every partition would be searched for each. */
const entryRows = (queries: Queries, places: readonly EntryPlace[]): Promise<EntryRow[]> => {
  const ids = places.map(({ entry }) => entry)
  const text = `SELECT ${ENTRY_COLUMNS} FROM entry WHERE id = ANY ($1::bigint[]) AND id BETWEEN $2 AND $3`
  return queries.rows<EntryRow>(text, [ids, Math.min(...ids), Math.max(...ids)])
}

/** Small entries that are newer than all in memory, among the next few of each mailbox. */
const freshRows = (queries: Queries, reads: readonly NumberedRead[], newestId: number): Promise<EntryRow[]> =>
  queries.rows<EntryRow>(
    `SELECT ${ENTRY_COLUMNS} FROM entry
     WHERE id = ANY (ARRAY(
       SELECT DISTINCT next.entry FROM unnest($1::integer[], $2::bigint[]) AS asked (account, after)
       CROSS JOIN LATERAL (
         SELECT entry FROM mailbox WHERE mailbox.account = asked.account AND mailbox.pos > asked.after
         ORDER BY mailbox.pos LIMIT $4) next
       WHERE next.entry > $3)) AND id > $3 AND octet_length(payload) <= $5`,
    [
      reads.map(({ num }) => num),
      reads.map(({ after }) => after),
      newestId,
      postgresLimits.freshEntries,
      postgresLimits.freshEntryBytes,
    ],
  )

const storedEntry = (row: EntryRow, cursor: number): StoredEntry => ({
  cursor,
  group: row.group,
  seq: row.seq,
  kind: kindOf(row.kind),
  sender: row.sender,
  ts: row.ts,
  payload: row.payload,
  added: accountsIn(row.added),
  removed: accountsIn(row.removed),
})

/** Returns at least one if there is any, then as many as fit. */
function fittingPlaces(places: readonly EntryPlace[], bytesMax: number): EntryPlace[] {
  let bytes = 0
  const end = places.findIndex((place, at) => {
    bytes += place.bytes
    return bytes > bytesMax && at > 0
  })
  return end === -1 ? [...places] : places.slice(0, end)
}
