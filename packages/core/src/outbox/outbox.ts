// The outbox: the records of ciphertexts that wait for the relay's answer.
import type { BlobId, ChatId, GroupId, MessageId, SendId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'

export type OutboxRow = {
  message_id: MessageId
  group_id: GroupId
  chat_id: ChatId
  wire: Uint8Array
  send_id: SendId
  body: string
  hello_version: number | null
  /** Whether the greeting says that this account wants previews. */
  hello_previews: number
  /** By the clock of this machine. */
  since_ms: number
}

export function insertWaiting(database: Database, row: OutboxRow): void {
  database.run(
    `INSERT INTO outbox (message_id, group_id, chat_id, wire, send_id, body, hello_version, hello_previews, since_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.message_id,
    row.group_id,
    row.chat_id,
    row.wire,
    row.send_id,
    row.body,
    row.hello_version,
    row.hello_previews,
    row.since_ms,
  )
}

export const waitingRows = (reads: Pick<Database, 'all'>): OutboxRow[] => reads.all<OutboxRow>('SELECT * FROM outbox')

/** Oldest first. */
export const waitingIn = (reads: Pick<Database, 'all'>, chat: ChatId): OutboxRow[] =>
  reads.all<OutboxRow>('SELECT * FROM outbox WHERE chat_id = ? ORDER BY since_ms', chat)

export const isWaiting = (reads: Pick<Database, 'get'>, send: string): boolean =>
  reads.get('SELECT 1 FROM outbox WHERE send_id = ?', send) !== undefined

/**
 * Removes a row. Undefined when it was settled before. `known`: the row as inserted, if the caller has it. Reading it
 * back would only copy its ciphertext.
 */
export function removeWaiting(database: Database, message: MessageId, known?: OutboxRow): OutboxRow | undefined {
  if (!known) return database.get<OutboxRow>('DELETE FROM outbox WHERE message_id = ? RETURNING *', message)
  return database.run('DELETE FROM outbox WHERE message_id = ?', message).changes === 1 ? known : undefined
}

/** How many ciphertexts of each group wait. */
export const waitingCounts = (reads: Pick<Database, 'all'>): { group: GroupId; count: number }[] =>
  reads.all('SELECT group_id AS "group", count(*) AS count FROM outbox GROUP BY group_id')

/** Blobs of waiting messages: their uploads are in use. */
export const waitingBlobs = (reads: Pick<Database, 'all'>): BlobId[] =>
  reads
    .all<{ blob: BlobId }>("SELECT json_extract(body, '$.blob') AS blob FROM outbox WHERE blob IS NOT NULL")
    .map(row => row.blob)
