// The idempotency keys of callers, kept for a day with the outcome of each.
import {
  type ChatId,
  CodedError,
  clientLimits,
  equalBytes,
  type MessageId,
  type PressId,
  type SendId,
  type StartLinkId,
} from '@postern/protocol'
import type { Database } from '../database.ts'
import type { Store } from '../transactions/store.ts'
import type { ElapsedClock } from './elapsed-clock.ts'

/**
 * `request` is a hash of everything that must be equal. `send`: the id under which a message is sent the first time. It
 * is for a caller whose records may be copied with this database: if both copies send under one id, the others accept
 * it once.
 */
export type Idempotency = { key: string; request: Uint8Array; send?: SendId }

/**
 * The send id of a message, the id of a chat that was made or changed, of a press that was made or answered, or of a
 * start link.
 */
type Subject = SendId | ChatId | PressId | StartLinkId

type SentKey = {
  key: string
  request: Uint8Array
  subject: Subject
  made_ms: number
  message_id: MessageId | null
  ts: number | null
}

/** Undefined when the key is new. Throws when it was used with another request. */
export function findKey(
  { store, elapsed }: { store: Pick<Store, 'get'>; elapsed: Pick<ElapsedClock, 'nowMs'> },
  { key, request }: Idempotency,
): SentKey | undefined {
  const oldestMs = elapsed.nowMs() - clientLimits.idempotencyKeptMs
  const row = store.get<SentKey>('SELECT * FROM sent_key WHERE key = ? AND made_ms >= ?', key, oldestMs)
  if (row && !equalBytes(row.request, request))
    throw new CodedError('idempotency-conflict', row.message_id === null ? {} : { message: row.message_id })
  return row
}

/** Whether anything was sent under the key. */
export const isKeyKnown = (store: Pick<Store, 'get'>, key: string): boolean =>
  store.get('SELECT 1 FROM sent_key WHERE key = ?', key) !== undefined

/** Whether the message that was sent under the key is in the history: true from the commit that puts it there. */
export const isKeySent = (store: Pick<Store, 'get'>, key: string): boolean =>
  store.get('SELECT 1 FROM sent_key WHERE key = ? AND message_id IS NOT NULL', key) !== undefined
/** The key under which something was sent. */
export const keyOf = (store: Pick<Store, 'get'>, subject: Subject): string | undefined =>
  store.get<{ key: string }>('SELECT key FROM sent_key WHERE subject = ?', subject)?.key

/** Called in the transaction that puts the message into the outbox, or begins the group. */
export function noteKey(
  database: Database,
  { key, request }: Idempotency,
  { subject, nowMs }: { subject: Subject; nowMs: number },
): void {
  database.run('DELETE FROM sent_key WHERE made_ms < ?', nowMs - clientLimits.idempotencyKeptMs)
  database.run(
    `INSERT INTO sent_key (key, request, subject, made_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET subject = excluded.subject`,
    key,
    request,
    subject,
    nowMs,
  )
}

export function noteSent(database: Database, send: SendId, { id, ts }: { id: MessageId; ts: number }): void {
  database.run('UPDATE sent_key SET message_id = ?, ts = ? WHERE subject = ?', id, ts, send)
}

/** A request without a message of its own took effect: it is not carried out again under this key. */
export function noteDone(database: Database, { key }: Idempotency, nowMs: number): void {
  database.run('UPDATE sent_key SET ts = ? WHERE key = ?', nowMs, key)
}
