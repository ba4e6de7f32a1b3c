// The durable numbered log of events. Long polling, webhooks and screens each keep a cursor on it.
import type { ChatEvent, OperatorEvent, PeopleEvent } from '@postern/bot-api/events'
import { clientLimits, type MessageId, Notifier } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { ElapsedClock } from '../storage/state/elapsed-clock.ts'
import { deferToCommit, runDeferred } from '../storage/transactions/before-commit.ts'
import { newestEventId, noteEventId } from '../storage/transactions/event-ids.ts'
import type { Durability, Store } from '../storage/transactions/store.ts'
import { wordsIn } from './event-words.ts'
import { dropConfirmed, dropRest, lostUpTo, moveReader, type RetentionLimits } from './reader-places.ts'
import { skippedIds } from './skipped-ids.ts'

export type JournalEvent = ChatEvent

/** `ts` in elapsed time. */
export type JournalEntry = { id: number; json: string; ts: number }

export class Journal {
  /** For the other files of this folder. */
  readonly store: Store
  readonly #grown = new Notifier()
  #newest: number

  constructor(store: Store) {
    this.store = store
    this.#newest = newestEventId(store)
    store.onCommit(() => this.#tellIfGrown())
  }

  /** Without entries that every reader has confirmed, removed or not. */
  read(after: number, limit: number): JournalEntry[] {
    return this.store.all<JournalEntry>(
      // With a bare LIMIT ?, SQLite would compile the statement again each time.
      `SELECT id, json, ts FROM journal WHERE id > max(?, coalesce((SELECT min(confirmed) FROM reader), 0))
       ORDER BY id LIMIT 0 + ?`,
      after,
      limit,
    )
  }

  /**
   * The same as one JSON array in UTF-8, each entry with its id in front. Undefined if there is none. SQLite joins it
   * in reading order: a hundred rows would become as many objects and texts only to be joined again.
   */
  readJson(after: number, limit: number): Uint8Array | undefined {
    const row = this.store.get<{ page: Uint8Array | null }>(
      `SELECT CAST('[' || group_concat('{"id":' || id || ',' || substr(json, 2), ',') || ']' AS BLOB) AS page FROM
         (SELECT id, json FROM journal WHERE id > max(?, coalesce((SELECT min(confirmed) FROM reader), 0))
          ORDER BY id LIMIT 0 + ?)`,
      after,
      limit,
    )
    return row?.page ?? undefined
  }

  /** When the first entry after that one was added, in elapsed time. */
  tsBehind(after: number): number | undefined {
    return this.store.get<{ ts: number }>('SELECT ts FROM journal WHERE id > ? ORDER BY id LIMIT 1', after)?.ts
  }

  /** The highest id ever used; no id is used twice. */
  newest(): number {
    return this.#newest
  }

  /** How many ids were skipped after restores of this database, in all. See `Client.whenNewest`. */
  skipped(): number {
    return skippedIds(this.store)
  }

  confirmed(reader: string): number {
    return this.store.get<{ confirmed: number }>('SELECT confirmed FROM reader WHERE name = ?', reader)?.confirmed ?? 0
  }

  /** A new reader begins at the end: earlier events do not concern it. */
  async beginAtEnd(reader: string): Promise<void> {
    await this.store.write(database => {
      database.run('INSERT OR IGNORE INTO reader (name, confirmed) VALUES (?, ?)', reader, newestEventId(database))
      dropConfirmed(database)
    })
  }

  /** Without a reader nothing is confirmed, and the journal would grow forever. */
  async dropUnread(): Promise<void> {
    if (this.store.get('SELECT 1 FROM reader') || !endOfUnread(this.store)) return
    await this.store.write(database => {
      const end = endOfUnread(database)
      if (end && !database.get('SELECT 1 FROM reader')) database.run('DELETE FROM journal WHERE id <= ?', end.id)
    })
  }

  /** Entries that every reader has confirmed are not shown any more. */
  async confirm(reader: string, upTo: number, durability: Durability = 'durable'): Promise<void> {
    const wanted = Math.min(upTo, this.#newest)
    await this.store.write(database => this.#move(database, reader, wanted), durability)
  }

  /** The same, readable immediately. The returned function resolves when it is durable. */
  async confirmSoon(reader: string, upTo: number): Promise<() => Promise<void>> {
    const wanted = Math.min(upTo, this.#newest)
    return await this.store.defer(database => this.#move(database, reader, wanted))
  }

  /** How many entries wait for the reader. `above`: its place, if it has not confirmed that yet. */
  pending(reader: string, above = 0): number {
    const row = this.store.get<{ count: number }>(
      // Uses the index of times, which is short: the entries themselves are the texts of ten thousand messages.
      'SELECT count(*) AS count FROM journal INDEXED BY journal_ts WHERE id > ?',
      Math.max(above, this.confirmed(reader)),
    )
    return row?.count ?? 0
  }

  /** Moves the reader past entries that are too old or too many. Returns how many it has lost for each reason. */
  async dropBefore(reader: string, limits: RetentionLimits): Promise<DroppedCounts> {
    return await this.store.write(database => {
      const from = this.confirmed(reader)
      const upTo = lostUpTo(database, from, limits)
      if (upTo.either <= from) return { tooOld: 0, tooMany: 0 }
      const lost = {
        tooOld: countBetween(database, from, upTo.tooOld),
        tooMany: countBetween(database, upTo.tooOld, upTo.either),
      }
      this.#move(database, reader, upTo.either)
      return lost
    })
  }

  /**
   * Corrects entries that were dated by a clock that is ahead, before the time off was known: they would stay too long.
   */
  async dateAtMost(nowMs: number): Promise<void> {
    const late = 'SELECT 1 FROM journal WHERE ts > ? UNION ALL SELECT 1 FROM receipt_event WHERE ts > ?'
    if (this.store.get(late, nowMs, nowMs) === undefined) return
    await this.store.write(database => {
      database.run('UPDATE journal SET ts = ? WHERE ts > ?', nowMs, nowMs)
      database.run('UPDATE receipt_event SET ts = ? WHERE ts > ?', nowMs, nowMs)
    })
  }

  /** State that a reader keeps with its place, such as the number of tries for the current entry. */
  readerState(reader: string): string | undefined {
    return (
      this.store.get<{ state: string | null }>('SELECT state FROM reader WHERE name = ?', reader)?.state ?? undefined
    )
  }

  async setReaderState(reader: string, state: string): Promise<void> {
    await this.store.write(database =>
      database.run(
        'INSERT INTO reader (name, confirmed, state) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state',
        reader,
        this.#newest,
        state,
      ),
    )
  }

  /** Called when new entries can be read. */
  onAppend(listener: () => void): () => void {
    return this.#grown.listen(listener)
  }

  #move(database: Database, reader: string, upTo: number): void {
    moveReader(database, reader, upTo)
    // Most readers have reached the end: then it is not worth checking whether there are many.
    if (upTo >= this.#newest) dropRest(database)
    else dropConfirmed(database)
  }

  #tellIfGrown(): void {
    const newest = newestEventId(this.store)
    if (newest === this.#newest) return
    this.#newest = newest
    this.#grown.notify()
  }
}

/** Entries that a reader has lost, by reason. */
export type DroppedCounts = { tooOld: number; tooMany: number }

const countBetween = (database: Database, after: number, upTo: number): number =>
  database.get<{ count: number }>('SELECT count(*) AS count FROM journal WHERE id > ? AND id <= ?', after, upTo)
    ?.count ?? 0

/** The newest entry beyond the limit for a journal without readers. */
const endOfUnread = (reads: Pick<Store, 'get'>): { id: number } | undefined =>
  reads.get('SELECT id FROM journal ORDER BY id DESC LIMIT 1 OFFSET 0 + ?', clientLimits.journalUnreadMax)

/** When the newest entry was added, in elapsed time; 0 if there is none. */
export const newestEventTs = (reads: Pick<Store, 'get'>): number =>
  reads.get<{ ts: number | null }>('SELECT max(ts) AS ts FROM journal')?.ts ?? 0

type Telling = { elapsed: Pick<ElapsedClock, 'latestMs'> }

/**
 * Runs in the transaction of the event. Its time is when this client learned of it: events from days when the client
 * was away have not waited for their reader yet. It is elapsed time, so setting the clock does not age it.
 */
export const appendEvent = (core: Telling, database: Database, event: OperatorEvent): void =>
  append(core, database, event)

/** The same for events that a bot's operator never receives. */
export function appendForPeople(core: Telling & { reportsAll: boolean }, database: Database, event: PeopleEvent): void {
  if (core.reportsAll) append(core, database, event)
}

/**
 * An event for the result of many changes, such as the votes in a poll. Consecutive changes of one transaction cause
 * one event: viewed after the last of them, and before any other event. No id was handed out until then.
 */
export function appendLatest(
  core: Telling,
  database: Database,
  { message, view }: { message: MessageId; view: () => OperatorEvent | undefined },
): void {
  deferToCommit(database, message, () => {
    const event = view()
    if (event) append(core, database, event)
  })
}

function append({ elapsed }: Telling, database: Database, event: JournalEvent): void {
  runDeferred(database)
  const { lastId } = database.run(
    'INSERT INTO journal (ts, chat_id, json, message_id) VALUES (?, ?, ?, ?)',
    elapsed.latestMs(),
    event.chat_id,
    JSON.stringify(event),
    wordsIn(event)?.message ?? null,
  )
  noteEventId(database, lastId)
}
