// The records of the countdowns of disappearing messages, in elapsed time.
import type { ChatId, MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>
export type ExpiredRow = { id: MessageId; chat_id: ChatId; reported: number }

/** When the next message expires. */
export const nextExpiryMs = (reads: Pick<Reads, 'get'>): number | undefined =>
  reads.get<{ ms: number | null }>('SELECT min(erase_at_ms) AS ms FROM message WHERE erase_at_ms IS NOT NULL')?.ms ??
  undefined

export const expiredMessages = (reads: Pick<Reads, 'all'>, nowMs: number, limit: number): ExpiredRow[] =>
  reads.all<ExpiredRow>(
    'SELECT id, chat_id, reported FROM message WHERE erase_at_ms <= ? ORDER BY erase_at_ms LIMIT 0 + ?',
    nowMs,
    limit,
  )

/** The first condition is for the index: with the second alone, SQLite would read every message. */
const IS_TOO_LONG = 'erase_at_ms > ? AND erase_at_ms > ? + timer_ms'

/** Whether a countdown is longer than its timer: it began when the clock was ahead. */
export const hasOverlongCountdown = (reads: Pick<Reads, 'get'>, nowMs: number): boolean =>
  reads.get(`SELECT 1 FROM message WHERE ${IS_TOO_LONG}`, nowMs, nowMs) !== undefined

export function shortenCountdowns(database: Database, nowMs: number): void {
  database.run(`UPDATE message SET erase_at_ms = ? + timer_ms WHERE ${IS_TOO_LONG}`, nowMs, nowMs, nowMs)
}
