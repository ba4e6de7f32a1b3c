// The durable numbered log of what happened. Long polling, webhooks and screens each keep a cursor on it.
import type { ChatEvent, OperatorEvent, PeopleEvent } from '@postern/bot-api/events'
import { clientLimits, type MessageId, Notifier } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { ElapsedClock } from '../storage/state/elapsed-clock.ts'
import { deferToCommit, runDeferred } from '../storage/transactions/before-commit.ts'
import { newestEventId, noteEventId } from '../storage/transactions/event-ids.ts'
import type { Durability, Store } from '../storage/transactions/store.ts'

export type JournalEvent = ChatEvent

/** `ts` by the time that passed. */
export type JournalEntry = { id: number; json: string; ts: number }

export class Journal {
  readonly #store: Store
  readonly #grown = new Notifier()
  #newest: number

  constructor(store: Store) {
    this.#store = store
    this.#newest = newestEventId(store)
    store.onCommit(() => this.#tellIfGrown())
  }

  /** Nothing that every reader has confirmed, whether it is removed yet or not. */
  read(after: number, limit: number): JournalEntry[] {
    return this.#store.all<JournalEntry>(
      // A bare LIMIT ? makes SQLite compile the statement anew each time.
      `SELECT id, json, ts FROM journal WHERE id > max(?, coalesce((SELECT min(confirmed) FROM reader), 0))
       ORDER BY id LIMIT 0 + ?`,
      after,
      limit,
    )
  }

  /**
   * The same as one JSON array in UTF-8, each entry with its id in front; undefined when there is none. SQLite joins it: a
   * hundred rows would be made into as many objects and texts only to be joined again. It joins in the order in which it reads.
   */
  readJson(after: number, limit: number): Uint8Array | undefined {
    const row = this.#store.get<{ page: Uint8Array | null }>(
      `SELECT CAST('[' || group_concat('{"id":' || id || ',' || substr(json, 2), ',') || ']' AS BLOB) AS page FROM
         (SELECT id, json FROM journal WHERE id > max(?, coalesce((SELECT min(confirmed) FROM reader), 0))
          ORDER BY id LIMIT 0 + ?)`,
      after,
      limit,
    )
    return row?.page ?? undefined
  }

  /** When the first entry behind that one came, by the time that passed. */
  tsBehind(after: number): number | undefined {
    return this.#store.get<{ ts: number }>('SELECT ts FROM journal WHERE id > ? ORDER BY id LIMIT 1', after)?.ts
  }

  /** The highest id ever given; ids are never used twice. */
  newest(): number {
    return this.#newest
  }

  confirmed(reader: string): number {
    return this.#store.get<{ confirmed: number }>('SELECT confirmed FROM reader WHERE name = ?', reader)?.confirmed ?? 0
  }

  /** A reader that is not known yet begins at the end: what happened before it came is none of its concern. */
  async beginAtEnd(reader: string): Promise<void> {
    await this.#store.write(database => {
      database.run('INSERT OR IGNORE INTO reader (name, confirmed) VALUES (?, ?)', reader, newestEventId(database))
      dropConfirmed(database)
    })
  }

  /** Without a reader nobody confirms, and it would grow for ever. */
  async dropUnread(): Promise<void> {
    if (this.#store.get('SELECT 1 FROM reader') || !endOfUnread(this.#store)) return
    await this.#store.write(database => {
      const end = endOfUnread(database)
      if (end && !database.get('SELECT 1 FROM reader')) database.run('DELETE FROM journal WHERE id <= ?', end.id)
    })
  }

  /** What every reader has confirmed is shown to nobody any more. */
  async confirm(reader: string, upTo: number, durability: Durability = 'durable'): Promise<void> {
    const wanted = Math.min(upTo, this.#newest)
    await this.#store.write(database => this.#move(database, reader, wanted), durability)
  }

  /** The same, to be read at once; what it gives resolves when it is durable. */
  async confirmSoon(reader: string, upTo: number): Promise<() => Promise<void>> {
    const wanted = Math.min(upTo, this.#newest)
    return await this.#store.defer(database => this.#move(database, reader, wanted))
  }

  /** How much waits for the reader. `above`: how far it has come without having confirmed it yet. */
  pending(reader: string, above = 0): number {
    const row = this.#store.get<{ count: number }>(
      // By the index of times, which is short: the entries themselves are the words of ten thousand messages.
      'SELECT count(*) AS count FROM journal INDEXED BY journal_ts WHERE id > ?',
      Math.max(above, this.confirmed(reader)),
    )
    return row?.count ?? 0
  }

  /** Moves the reader past what is too old or too much; gives how many entries it has lost by each of the two. */
  async dropBefore(reader: string, limits: { olderThanTs: number; keepMax: number }): Promise<DroppedCounts> {
    return await this.#store.write(database => {
      const from = this.confirmed(reader)
      const tooOld = database.get<{ id: number | null }>(
        'SELECT max(id) AS id FROM journal WHERE ts < ?',
        limits.olderThanTs,
      )
      const tooMany = database.get<{ id: number }>(
        'SELECT id FROM journal ORDER BY id DESC LIMIT 1 OFFSET ?',
        limits.keepMax,
      )
      const oldUpTo = Math.max(tooOld?.id ?? 0, from)
      const upTo = Math.max(oldUpTo, tooMany?.id ?? 0)
      if (upTo <= from) return { tooOld: 0, tooMany: 0 }
      const lost = { tooOld: countBetween(database, from, oldUpTo), tooMany: countBetween(database, oldUpTo, upTo) }
      this.#move(database, reader, upTo)
      return lost
    })
  }

  /** What was dated before the time off was known, and by a clock that is ahead: it would stay for as long as that. */
  async dateAtMost(nowMs: number): Promise<void> {
    if (this.#store.get('SELECT 1 FROM journal WHERE ts > ?', nowMs) === undefined) return
    await this.#store.write(database => database.run('UPDATE journal SET ts = ? WHERE ts > ?', nowMs, nowMs))
  }

  /** What a reader must remember with its place, as the number of tries for the entry it is at. */
  readerState(reader: string): string | undefined {
    return (
      this.#store.get<{ state: string | null }>('SELECT state FROM reader WHERE name = ?', reader)?.state ?? undefined
    )
  }

  async setReaderState(reader: string, state: string): Promise<void> {
    await this.#store.write(database =>
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
    // Most have come to the end: then it is not worth a look whether there are many.
    if (upTo >= this.#newest) dropRest(database)
    else dropConfirmed(database)
  }

  #tellIfGrown(): void {
    const newest = newestEventId(this.#store)
    if (newest === this.#newest) return
    this.#newest = newest
    this.#grown.notify()
  }
}

/** Entries that a reader has lost, and why. */
export type DroppedCounts = { tooOld: number; tooMany: number }

const countBetween = (database: Database, after: number, upTo: number): number =>
  database.get<{ count: number }>('SELECT count(*) AS count FROM journal WHERE id > ? AND id <= ?', after, upTo)
    ?.count ?? 0

/** The newest entry of those that are too many where nobody reads. */
const endOfUnread = (reads: Pick<Store, 'get'>): { id: number } | undefined =>
  reads.get('SELECT id FROM journal ORDER BY id DESC LIMIT 1 OFFSET 0 + ?', clientLimits.journalUnreadMax)

/** When the newest entry came, by the time that passed; 0 when there is none. */
export const newestEventTs = (reads: Pick<Store, 'get'>): number =>
  reads.get<{ ts: number | null }>('SELECT max(ts) AS ts FROM journal')?.ts ?? 0

function moveReader(database: Database, reader: string, upTo: number): void {
  database.run(
    `INSERT INTO reader (name, confirmed) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET confirmed = max(confirmed, excluded.confirmed)`,
    reader,
    upTo,
  )
}

/** Where every reader has come to the end. */
function dropRest(database: Database): void {
  database.run(
    `DELETE FROM journal WHERE id <= (SELECT min(confirmed) FROM reader)
       AND (SELECT min(confirmed) FROM reader) >= (SELECT max(id) FROM journal)`,
  )
}

/**
 * What every reader has confirmed, once nothing else is left or there are many: to take a hundred out of ten thousand touches as
 * many pages as to take a thousand, since their message ids stand all over the index. Until then only the place of the readers
 * hides them: it is in the same database, and no kill takes it back without them.
 */
function dropConfirmed(database: Database): void {
  const { past, oldest, newest } = database.get<{ past: number | null; oldest: number | null; newest: number | null }>(
    `SELECT (SELECT min(confirmed) FROM reader) AS past, (SELECT min(id) FROM journal) AS oldest,
       (SELECT max(id) FROM journal) AS newest`,
  ) ?? { past: null, oldest: null, newest: null }
  if (past === null || oldest === null || newest === null) return
  if (past >= newest || past - oldest >= clientLimits.journalDroppedAtOnce)
    database.run('DELETE FROM journal WHERE id <= ?', past)
}

type Telling = { elapsed: Pick<ElapsedClock, 'latestMs'> }

/**
 * Part of the transaction in which the event happened. Its time is when it came to be known here: what was said while this
 * client was away for days has not waited for its reader yet. It is of those that pass: a clock that is set makes nothing old.
 */
export const appendEvent = (core: Telling, database: Database, event: OperatorEvent): void =>
  append(core, database, event)

/** The same for what a bot's operator is never told of. */
export function appendForPeople(core: Telling & { reportsAll: boolean }, database: Database, event: PeopleEvent): void {
  if (core.reportsAll) append(core, database, event)
}

/**
 * What becomes of a message by many changes, such as the votes in a poll, told once for those of a transaction that follow each
 * other: viewed after the last of them, and before whatever else is told. Nothing was given out under a number until then.
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

/** A message that is gone is gone from waiting events, too: who, where and when stay, the words do not. */
export function stripMessage(database: Database, message: MessageId): void {
  const rows = database.all<{ id: number; json: string }>('SELECT id, json FROM journal WHERE message_id = ?', message)
  for (const row of rows) {
    const event = JSON.parse(row.json) as JournalEvent
    database.run('UPDATE journal SET json = ? WHERE id = ?', JSON.stringify(wordsIn(event)?.without ?? event), row.id)
  }
}

/** The message whose words stand in an event, and the event without them. An event that is not named here does not compile. */
function wordsIn(event: JournalEvent): { message: MessageId; without: JournalEvent } | undefined {
  switch (event.type) {
    case 'message':
    case 'edited':
    case 'poll': {
      const { id, chat_id, from, ts } = event.message
      return { message: id, without: { ...event, message: { id, chat_id, from, ts } } }
    }
    case 'reaction': {
      const { reaction } = event
      return { message: reaction.message_id, without: { ...event, reaction: { ...reaction, emoji: '' } } }
    }
    case 'button': {
      const { button } = event
      return { message: button.message_id, without: { ...event, button: { ...button, data: '' } } }
    }
    case 'deleted':
    case 'expired':
    case 'chat':
    case 'notice':
    case 'receipt':
    case 'call':
    case 'toast':
      return undefined
  }
}
