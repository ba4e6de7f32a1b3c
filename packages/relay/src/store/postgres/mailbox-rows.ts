// Mailboxes on PostgreSQL: what waits for an account, in order. All that is asked for at one time is one statement.
import {
  type AccountId,
  type Clock,
  CodedError,
  inBackground,
  isCoded,
  type Log,
  postgresLimits,
  Wait,
} from '@postern/protocol'
import type { Entry } from '@postern/protocol/relay'
import type { Page, PageBounds, StoredEntry } from '../relay-store.ts'
import { accountsIn, kindOf } from '../stored-entry.ts'
import type { AccountNumbers } from './account-numbers.ts'
import { Backoff } from './backoff.ts'
import type { Postgres } from './database.ts'
import type { DatabaseLine } from './database-line.ts'
import type { EntryCache } from './entry-cache.ts'
import type { Queries } from './queries.ts'

type Parts = { numbers: AccountNumbers; entries: EntryCache; clock: Clock; log: Log }
type Read = { num: number; after: number; bounds: PageBounds; page: Wait<Page> }
type EntryPlace = { n: number; cursor: number; entry: number; bytes: number }
type EntryRow = Omit<Entry, 'cursor' | 'kind' | 'added' | 'removed'> & {
  entry: number
  kind: number
  added: Uint8Array | null
  removed: Uint8Array | null
}

export class PgMailboxRows {
  readonly #database: Postgres
  readonly #line: DatabaseLine
  readonly #parts: Parts
  readonly #backoff = new Backoff()
  readonly #stop = new AbortController()
  readonly #asked: Read[] = []
  #isReading = false

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#line = database.line()
    this.#parts = parts
  }

  async read(account: AccountId, after: number, bounds: PageBounds): Promise<Page> {
    const num = this.#parts.numbers.held(account)?.num ?? (await this.#parts.numbers.numberOf(account))
    const page = new Wait<Page>()
    this.#asked.push({ num, after, bounds, page })
    if (!this.#isReading) inBackground(this.#readAll(), { what: 'mailboxes cannot be read', log: this.#parts.log })
    return await page.over
  }

  /** Of what is in mailboxes: whoever asks has waited for what is in the log. */
  async head(account: AccountId): Promise<number> {
    const num = await this.#parts.numbers.numberOf(account)
    const row = await this.#database.one<{ head: number }>(
      `SELECT greatest((SELECT cursor FROM progress WHERE account = $1), (SELECT max(pos) FROM mailbox WHERE account = $1), 0)
         AS head`,
      [num],
    )
    return row?.head ?? 0
  }

  /** Whoever still waits is told to come again. */
  stop(): void {
    this.#stop.abort()
  }

  /** Never rejects: who waits for a page hears of its failure. What is asked for meanwhile goes together. */
  async #readAll(): Promise<void> {
    this.#isReading = true
    // Whoever was woken in this turn asks in it.
    await Promise.resolve()
    while (this.#asked.length > 0) {
      const reads = this.#asked.splice(0, postgresLimits.readsPerQuery)
      try {
        await this.#line.use(queries => this.#readTogether(queries, reads))
        this.#backoff.reset()
      } catch (error) {
        await this.#failed(reads, error)
      }
    }
    this.#isReading = false
  }

  /** While the database is away who follows waits for it: cut off, all of them would come again at once. */
  async #failed(reads: readonly Read[], error: unknown): Promise<void> {
    const { signal } = this.#stop
    if (!isCoded(error, 'unavailable') || signal.aborted) {
      for (const { page } of reads) page.reject(signal.aborted ? new CodedError('stopping') : error)
      return
    }
    this.#asked.unshift(...reads.filter(({ page }) => !page.isOver))
    const wait = new Wait()
    wait.after(this.#parts.clock, this.#backoff.nextMs(), () => wait.resolve())
    wait.onAbort(signal, () => wait.resolve())
    await wait.over
  }

  async #readTogether(queries: Queries, reads: readonly Read[]): Promise<void> {
    const places = Map.groupBy(await placesOf(queries, reads), ({ n }) => n)
    for (const [at, read] of reads.entries()) {
      const found = places.get(at + 1) ?? []
      const fit = fittingPlaces(found, read.bounds.bytesMax)
      const entries = await this.#entriesAt(queries, fit)
      const isCut = fit.length < found.length || found.length === read.bounds.entriesMax
      read.page.resolve({ entries, more: entries.length > 0 && isCut })
    }
  }

  async #entriesAt(queries: Queries, places: readonly EntryPlace[]): Promise<StoredEntry[]> {
    const { entries } = this.#parts
    const held = places.map(({ entry, cursor }) => entries.get(entry, cursor))
    const missing = places.filter((_, at) => held[at] === undefined)
    if (missing.length === 0) return held as StoredEntry[]
    const rows = new Map((await entryRows(queries, missing)).map(row => [row.entry, row]))
    // One that is gone since its place was looked up is past its time.
    return places.flatMap(({ entry, cursor }, at) => {
      const row = rows.get(entry)
      const found = held[at] ?? (row && storedEntry(row, cursor))
      if (row && found) entries.put(entry, found)
      return found ?? []
    })
  }
}

const placesOf = (queries: Queries, reads: readonly Read[]): Promise<EntryPlace[]> =>
  queries.rows<EntryPlace>(
    `SELECT asked.n, found.cursor, found.entry, found.bytes
     FROM unnest($1::integer[], $2::bigint[], $3::integer[]) WITH ORDINALITY AS asked (account, after, count, n)
     CROSS JOIN LATERAL (
       SELECT mailbox.pos AS cursor, mailbox.entry,
         octet_length(payload) + coalesce(octet_length(added), 0) + coalesce(octet_length(removed), 0) AS bytes
       FROM mailbox JOIN entry ON entry.id = mailbox.entry
       WHERE mailbox.account = asked.account AND mailbox.pos > asked.after
       ORDER BY mailbox.pos LIMIT asked.count) found
     ORDER BY asked.n, found.cursor`,
    [reads.map(({ num }) => num), reads.map(({ after }) => after), reads.map(({ bounds }) => bounds.entriesMax)],
  )

const entryRows = (queries: Queries, places: readonly EntryPlace[]): Promise<EntryRow[]> =>
  queries.rows<EntryRow>(
    `SELECT entry.id AS entry, chat_group.id AS "group", entry.seq, entry.kind, account.id AS sender, entry.ts,
       entry.payload, entry.added, entry.removed
     FROM entry JOIN chat_group ON chat_group.num = entry.chat_group JOIN account ON account.num = entry.sender
     WHERE entry.id = ANY ($1::bigint[])`,
    [places.map(({ entry }) => entry)],
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

/** At least one when there is any, then as many as fit. */
function fittingPlaces(places: readonly EntryPlace[], bytesMax: number): EntryPlace[] {
  let bytes = 0
  const end = places.findIndex((place, at) => {
    bytes += place.bytes
    return bytes > bytesMax && at > 0
  })
  return end === -1 ? [...places] : places.slice(0, end)
}
