// Readers that come and go under names of their own, each with its place in the journal and the types that it reads.
import { CodedError } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import { newestEventId } from '../storage/transactions/event-ids.ts'
import type { Store } from '../storage/transactions/store.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { dropConfirmed, lostUpTo, type RetentionLimits } from './reader-places.ts'
import { dropReceipts, hasReceipts, lostWithReceipts } from './receipt-events.ts'

/** Keeps their names apart from those of our own readers. Stored: never rename it. */
const PREFIX = 'named:'

/** Types of events; undefined: all of them. */
export type EventTypes = readonly string[] | undefined

/** The events of a reader; undefined: of all types, in all chats. */
export type EventChoice = { types: EventTypes; chats?: readonly string[] | undefined }

export type NamedReader = {
  name: string
  confirmed: number
  types: EventTypes
  /** Undefined: all chats. */
  chats?: readonly string[] | undefined
  /** How many of its entries were dropped since it last confirmed one. */
  dropped: number
  /** Its program removes it as soon as nobody reads it. */
  isBrief?: boolean
}

export type ReaderOpening = {
  /** Where a new reader begins: after everything, or before the oldest entry that any reader still needs. */
  from: 'now' | 'oldest'
  types: EventTypes
  chats?: readonly string[] | undefined
  isBrief?: boolean
  /** How many readers there can be: with an owner, of that owner. */
  max: number
}

type Row = { name: string; confirmed: number; state: string | null }
type State = { types?: readonly string[]; chats?: readonly string[]; dropped?: number; isBrief?: boolean }

const COLUMNS = 'SELECT name, confirmed, state FROM reader'

const stored = (name: string): string => `${PREFIX}${name}`
const isSame = (one: EventTypes, other: EventTypes): boolean => JSON.stringify(one) === JSON.stringify(other)

type Condition = { sql: string; values: string[] }

/** The conditions for entries of this choice: in the journal, and among the receipts, which nobody has by default. */
function conditionsOf({ types, chats }: EventChoice): { entries: Condition; receipts: Condition } {
  const lists = Object.entries({ type: types, chat_id: chats }).filter(([, list]) => list !== undefined)
  const some = {
    sql: lists.map(([field]) => `AND json ->> '${field}' IN (SELECT value FROM json_each(?))`).join(' '),
    values: lists.map(([, list]) => JSON.stringify(list)),
  }
  return { entries: some, receipts: hasReceipts(types) ? some : { sql: 'AND FALSE', values: [] } }
}

/** The name of a reader that only its owner uses, such as a token: others can neither name nor count it. */
export const ownedName = (owner: string, name: string): string => `${owner}/${name}`

const GLOB = `name GLOB '${PREFIX}*'`

/** Those whose places a reader of this name takes: of the same owner, or of nobody. */
function othersOf(name: string): Condition {
  const [owner] = name.includes('/') ? name.split('/', 1) : []
  return owner === undefined
    ? { sql: `${GLOB} AND name NOT GLOB ?`, values: [`${PREFIX}*/*`] }
    : { sql: `${GLOB} AND name GLOB ?`, values: [`${PREFIX}${owner}/*`] }
}

export class NamedReaders {
  readonly #journal: Journal
  readonly #store: Store

  constructor(journal: Journal) {
    this.#journal = journal
    this.#store = journal.store
  }

  list(): NamedReader[] {
    return this.#store.all<Row>(`${COLUMNS} WHERE ${GLOB} ORDER BY name`).map(readerOf)
  }

  find(name: string): NamedReader | undefined {
    return findIn(this.#store, name)
  }

  get(name: string): NamedReader {
    return known(this.find(name), name)
  }

  /** Creates the reader at its first use. Writes nothing if nothing changes. */
  async open(name: string, opening: ReaderOpening): Promise<void> {
    const before = this.find(name)
    if (before && isSame(before.types, opening.types)) return
    await this.#store.write(database => {
      const present = findIn(database, name)
      if (present) {
        setState(database, { ...present, types: opening.types })
        return dropReceipts(database)
      }
      const others = othersOf(name)
      const { count } = database.get<{ count: number }>(
        `SELECT count(*) AS count FROM reader WHERE ${others.sql}`,
        ...others.values,
      ) ?? { count: 0 }
      if (count >= opening.max) throw new CodedError('readers-full', { max: opening.max })
      const confirmed = opening.from === 'now' ? newestEventId(database) : lowestPlace(database)
      database.run('INSERT INTO reader (name, confirmed) VALUES (?, ?)', stored(name), confirmed)
      const { types, chats, isBrief = false } = opening
      setState(database, { name, types, chats, dropped: 0, isBrief })
    })
  }

  /** Its place never moves back. Resolves when it is durable; writes nothing if it does not move. */
  async confirm(name: string, upTo: number): Promise<void> {
    const wanted = Math.min(upTo, this.#journal.newest())
    if (wanted > this.get(name).confirmed) await this.#store.write(database => pass(database, name, wanted))
  }

  /**
   * The same, readable immediately: the next write that waits for the disk includes it, or `durable`. A kill before that
   * shows the entries again, so nobody may learn of the confirmation earlier.
   */
  async confirmSoon(name: string, upTo: number): Promise<void> {
    const wanted = Math.min(upTo, this.#journal.newest())
    if (wanted > this.get(name).confirmed) await this.#store.defer(database => pass(database, name, wanted))
  }

  /** Resolves when every confirmation is on the disk. */
  async durable(): Promise<void> {
    await this.#store.durable()
  }

  /** Passes entries of other types. A kill may undo it: then the same entries are passed again. */
  async skip(name: string, upTo: number): Promise<void> {
    if (upTo > this.get(name).confirmed)
      await this.#store.defer(database => move(database, known(findIn(database, name), name), upTo))
  }

  async remove(name: string): Promise<void> {
    await this.#store.write(database => {
      known(findIn(database, name), name)
      database.run('DELETE FROM reader WHERE name = ?', stored(name))
      dropConfirmed(database)
      dropReceipts(database)
    })
  }

  /** The id of the first entry of this choice after that place. */
  firstAfter(after: number, choice: EventChoice): number | undefined {
    return this.read(after, { ...choice, limit: 1 })[0]?.id
  }

  /** `after`: not before the place of the reader, below which entries may be left that are not to be read any more. */
  read(after: number, { limit, ...choice }: EventChoice & { limit: number }): Omit<JournalEntry, 'ts'>[] {
    const { entries, receipts } = conditionsOf(choice)
    const sql = `SELECT id, json FROM journal WHERE id > ? ${entries.sql}
      UNION ALL SELECT id, json FROM receipt_event WHERE id > ? ${receipts.sql} ORDER BY id LIMIT 0 + ?`
    return this.#store.all(sql, after, ...entries.values, after, ...receipts.values, limit)
  }

  /** How many entries wait for the reader. */
  pending({ confirmed, types, chats }: NamedReader): number {
    return countBetween(this.#store, { after: confirmed, upTo: this.#journal.newest(), types, chats })
  }

  /** When the oldest entry behind its place was added, in elapsed time. */
  oldestTs({ confirmed, types }: NamedReader): number | undefined {
    const receipts = hasReceipts(types) ? '' : 'AND FALSE'
    const sql = `SELECT id, ts FROM journal WHERE id > ?
      UNION ALL SELECT id, ts FROM receipt_event WHERE id > ? ${receipts} ORDER BY id LIMIT 1`
    return this.#store.get<{ ts: number }>(sql, confirmed, confirmed)?.ts
  }

  /** Moves the reader past entries that are too old or too many, and notes how many of its types it has lost. */
  async drop(name: string, limits: RetentionLimits): Promise<{ tooOld: number; tooMany: number }> {
    return await this.#store.write(database => {
      const reader = findIn(database, name)
      // It was removed meanwhile.
      if (!reader) return { tooOld: 0, tooMany: 0 }
      const { confirmed: from, types, chats } = reader
      const upTo = (hasReceipts(types) ? lostWithReceipts : lostUpTo)(database, from, limits)
      if (upTo.either <= from) return { tooOld: 0, tooMany: 0 }
      const tooOld = countBetween(database, { after: from, upTo: upTo.tooOld, types, chats })
      const tooMany = countBetween(database, { after: upTo.tooOld, upTo: upTo.either, types, chats })
      setState(database, { ...reader, dropped: reader.dropped + tooOld + tooMany })
      move(database, reader, upTo.either)
      return { tooOld, tooMany }
    })
  }
}

type Reads = Pick<Store, 'get'>

const findIn = (reads: Reads, name: string): NamedReader | undefined => {
  const row = reads.get<Row>(`${COLUMNS} WHERE name = ?`, stored(name))
  return row && readerOf(row)
}

function readerOf({ name, confirmed, state }: Row): NamedReader {
  const { types, chats, dropped = 0, isBrief } = JSON.parse(state ?? '{}') as State
  return {
    name: name.slice(PREFIX.length),
    confirmed,
    types,
    ...(chats && { chats }),
    dropped,
    ...(isBrief && { isBrief }),
  }
}

function known(reader: NamedReader | undefined, name: string): NamedReader {
  if (!reader) throw new CodedError('reader-not-found', { reader: name })
  return reader
}

/** Below it there may be entries that are confirmed and not removed yet: they would appear again. */
const lowestPlace = (reads: Reads): number =>
  reads.get<{ place: number | null }>('SELECT min(confirmed) AS place FROM reader')?.place ?? 0

type Span = EventChoice & { after: number; upTo: number }

function countBetween(reads: Reads, { after, upTo, ...choice }: Span): number {
  const { entries, receipts } = conditionsOf(choice)
  const sql = `SELECT (SELECT count(*) FROM journal WHERE id > ? AND id <= ? ${entries.sql}) +
    (SELECT count(*) FROM receipt_event WHERE id > ? AND id <= ? ${receipts.sql}) AS count`
  const row = reads.get<{ count: number }>(sql, after, upTo, ...entries.values, after, upTo, ...receipts.values)
  return row?.count ?? 0
}

function setState(database: Database, { name, types, chats, dropped, isBrief }: Omit<NamedReader, 'confirmed'>): void {
  const state: State = {
    ...(types && { types }),
    ...(chats && { chats }),
    ...(dropped > 0 && { dropped }),
    ...(isBrief && { isBrief }),
  }
  database.run('UPDATE reader SET state = ? WHERE name = ?', JSON.stringify(state), stored(name))
}

/** Never creates the reader: a request in flight must not bring back one that was removed. */
function move(database: Database, { name }: NamedReader, upTo: number): void {
  database.run('UPDATE reader SET confirmed = max(confirmed, ?) WHERE name = ?', upTo, stored(name))
  dropConfirmed(database)
  dropReceipts(database)
}

/** A reader that confirms an entry behind the lost ones has received the report of them. */
function pass(database: Database, name: string, upTo: number): void {
  const reader = known(findIn(database, name), name)
  if (upTo <= reader.confirmed) return
  setState(database, { ...reader, dropped: 0 })
  move(database, reader, upTo)
}
