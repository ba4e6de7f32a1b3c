// Receipts as events for a bot's operator: kept beside the journal while a named reader asks for them. The queue without a
// name neither reads nor counts them, so its updates are never dropped because of receipts.
import type { ReceiptEvent } from '@postern/bot-api/events'
import type { Database } from '../storage/database.ts'
import type { ElapsedClock } from '../storage/state/elapsed-clock.ts'
import { runDeferred } from '../storage/transactions/before-commit.ts'
import { reserveEventId } from '../storage/transactions/event-ids.ts'
import type { Store } from '../storage/transactions/store.ts'
import type { LostEntries, RetentionLimits } from './reader-places.ts'

const RECEIPTS: readonly string[] = ['delivered', 'read'] satisfies ReceiptEvent['type'][]

/** Only named readers have types in their state. */
const ASKS = `EXISTS (SELECT 1 FROM json_each(reader.state, '$.types') WHERE value IN ('delivered', 'read'))`

export const areReceiptsWanted = (reads: Pick<Store, 'get'>): boolean =>
  reads.get(`SELECT 1 FROM reader WHERE ${ASKS}`) !== undefined

export const hasReceipts = (types: readonly string[] | undefined): boolean =>
  types?.some(type => RECEIPTS.includes(type)) ?? false

type Telling = { elapsed: Pick<ElapsedClock, 'latestMs'> }

/** Runs in the transaction of the receipt: a receipt that counts is reported once, and no kill separates the two. */
export function appendReceipt({ elapsed }: Telling, database: Database, event: ReceiptEvent): void {
  runDeferred(database)
  const id = reserveEventId(database)
  database.run('INSERT INTO receipt_event VALUES (?, ?, ?)', id, elapsed.latestMs(), JSON.stringify(event))
}

/** Removes receipts that all readers have passed that ask for them; all of them if no reader does. */
export function dropReceipts(database: Database): void {
  database.run(
    `DELETE FROM receipt_event WHERE id <= coalesce((SELECT min(confirmed) FROM reader WHERE ${ASKS}), ?)`,
    Number.MAX_SAFE_INTEGER,
  )
}

/** For a reader that asks for receipts: its entries are in both tables. */
export function lostWithReceipts(
  database: Database,
  from: number,
  { olderThanTs, keepMax }: RetentionLimits,
): LostEntries {
  const old = database.get<{ id: number | null }>(
    `SELECT max((SELECT coalesce(max(id), 0) FROM journal WHERE ts < ?),
       (SELECT coalesce(max(id), 0) FROM receipt_event WHERE ts < ?)) AS id`,
    olderThanTs,
    olderThanTs,
  )
  const many = database.get<{ id: number }>(
    'SELECT id FROM journal UNION ALL SELECT id FROM receipt_event ORDER BY id DESC LIMIT 1 OFFSET ?',
    keepMax,
  )
  const tooOld = Math.max(old?.id ?? 0, from)
  return { tooOld, either: Math.max(tooOld, many?.id ?? 0) }
}
