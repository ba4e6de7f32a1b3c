// The records of messages.
import { type AccountId, type ChatId, CodedError, type GroupId, type MessageId, type SendId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import { makeRoom } from '../chats/notices.ts'
import { setUnread } from '../chats/records/chats.ts'
import { noteDeadFile } from '../files/file-records.ts'
import { stripMessage } from '../journal/event-words.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

export type MessageRow = {
  row: number
  id: MessageId
  chat_id: ChatId
  sender: AccountId
  ts: number
  send_id: SendId
  /** The content's body as JSON, including kinds that this version does not know. */
  body: string
  /** Whether the journal has it: not while its chat is a request. */
  reported: number
  edited_ts: number | null
  /** When its text and its buttons were last changed: only a later edit replaces each of them. */
  text_ts: number | null
  buttons_ts: number | null
  /** How long it is kept after it was read. 0: forever. */
  timer_ms: number
  /** When it expires. The first is shown; the second, in elapsed time, counts. */
  expires_ts: number | null
  erase_at_ms: number | null
  read: number
}

/** The columns of a message that are shown. With many messages, each further column costs time. */
export type ShownMessage = Pick<MessageRow, 'id' | 'chat_id' | 'sender' | 'ts' | 'body' | 'edited_ts' | 'expires_ts'>

export type NewMessage = Omit<MessageRow, 'row' | 'edited_ts' | 'text_ts' | 'buttons_ts'>

type Reads = Pick<Store, 'get' | 'all'>
export type Body = Content['body']

export const bodyOf = (row: Pick<MessageRow, 'body'>): Body => JSON.parse(row.body) as Body

export const lookUpMessage = (reads: Pick<Reads, 'get'>, chat: ChatId, message: MessageId): MessageRow | undefined =>
  reads.get<MessageRow>('SELECT * FROM message WHERE id = ? AND chat_id = ?', message, chat)

/** In any chat. */
export const messageById = (reads: Pick<Reads, 'get'>, message: MessageId): MessageRow | undefined =>
  reads.get<MessageRow>('SELECT * FROM message WHERE id = ?', message)

export function findMessage(reads: Reads, chat: ChatId, message: MessageId): MessageRow {
  const row = lookUpMessage(reads, chat, message)
  if (!row) throw new CodedError('message-not-found', { message })
  return row
}

export const hasMessageOf = (reads: Pick<Reads, 'get'>, chat: ChatId, sender: AccountId): boolean =>
  reads.get('SELECT 1 FROM message WHERE chat_id = ? AND sender = ? LIMIT 1', chat, sender) !== undefined

/** Newest first. */
export const messagesBefore = (
  reads: Reads,
  chat: ChatId,
  { ts, limit }: { ts: number; limit: number },
): MessageRow[] =>
  reads.all<MessageRow>(
    'SELECT * FROM message WHERE chat_id = ? AND ts < ? ORDER BY ts DESC LIMIT 0 + ?',
    chat,
    ts,
    limit,
  )

/** Oldest first. */
export const messagesFrom = (reads: Reads, chat: ChatId, { ts, limit }: { ts: number; limit: number }): MessageRow[] =>
  reads.all<MessageRow>('SELECT * FROM message WHERE chat_id = ? AND ts >= ? ORDER BY ts LIMIT 0 + ?', chat, ts, limit)

/** The newest message of each chat that is shown. One query, because there may be ten thousand chats. */
export const newestMessages = (reads: Pick<Reads, 'all'>): ShownMessage[] =>
  reads.all<ShownMessage>(
    `SELECT message.id, chat_id, sender, ts, body, edited_ts, expires_ts FROM chat CROSS JOIN message ON message.chat_id = chat.id
       AND message.ts = (SELECT max(ts) FROM message WHERE chat_id = chat.id)
     WHERE chat.visible = 1`,
  )

export const firstUnread = (reads: Pick<Reads, 'get'>, chat: ChatId): Pick<MessageRow, 'id' | 'ts'> | undefined =>
  reads.get('SELECT id, ts FROM message WHERE chat_id = ? AND read = 0 ORDER BY ts LIMIT 1', chat)

export const unreportedMessages = (reads: Reads, chat: ChatId): MessageRow[] =>
  reads.all<MessageRow>('SELECT * FROM message WHERE chat_id = ? AND reported = 0 ORDER BY ts', chat)

export const hasMessage = (reads: Pick<Reads, 'get'>, message: MessageId): boolean =>
  reads.get('SELECT 1 FROM message WHERE id = ?', message) !== undefined

type Span = { chat: ChatId; sender: AccountId; after: number; upTo: number }

/** Oldest first; beyond the limit, only the newest. */
export const messagesBetween = (reads: Pick<Reads, 'all'>, span: Span, limit: number): MessageId[] =>
  reads
    .all<{ id: MessageId }>(
      'SELECT id FROM message WHERE chat_id = ? AND sender = ? AND ts > ? AND ts <= ? ORDER BY ts DESC LIMIT 0 + ?',
      span.chat,
      span.sender,
      span.after,
      span.upTo,
      limit,
    )
    .map(row => row.id)
    .reverse()

/**
 * The groups of active chats, those with the newest messages first. One query, because there may be ten thousand chats.
 */
export const groupsSpokenInLately = (reads: Pick<Reads, 'all'>, limit: number): GroupId[] =>
  reads
    .all<{ group_id: GroupId }>(
      `SELECT chat.group_id FROM chat WHERE chat.visible = 1 AND chat.state = 'active'
       ORDER BY (SELECT max(ts) FROM message WHERE message.chat_id = chat.id) DESC LIMIT 0 + ?`,
      limit,
    )
    .map(row => row.group_id)

/** The time of the message that was written last. */
export const newestMessageTs = (reads: Pick<Reads, 'get'>): number =>
  reads.get<{ ts: number }>('SELECT ts FROM message ORDER BY row DESC LIMIT 1')?.ts ?? 0

/**
 * Undefined for a repeat:
 * a message that was encrypted again because the group had moved on, or one that the relay replays.
 */
export function insertMessage(database: Database, row: NewMessage): MessageRow | undefined {
  const added = addMessage(database, row) ?? addElsewhere(database, row)
  if (added) makeRoom(database, added.chat_id, added.ts)
  return added
}

/** Adds the message at a later time if its own is taken, unless the message is there already. */
function addElsewhere(database: Database, row: NewMessage): MessageRow | undefined {
  const repeat = database.get(
    'SELECT 1 FROM message WHERE id = ? OR (chat_id = ? AND sender = ? AND send_id = ?)',
    row.id,
    row.chat_id,
    row.sender,
    row.send_id,
  )
  if (repeat) return undefined
  const added = addMessage(database, { ...row, ts: freeTs(database, row) })
  if (!added) throw new CodedError('internal')
  return added
}

/** Undefined when the message is there already, or its time is not available. */
function addMessage(database: Database, row: NewMessage): MessageRow | undefined {
  if (row.ts > TS_MAX) return undefined
  const { changes, lastId } = database.run(
    `INSERT INTO message (id, chat_id, sender, ts, send_id, body, reported, timer_ms, expires_ts, erase_at_ms, read)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    row.id,
    row.chat_id,
    row.sender,
    row.ts,
    row.send_id,
    row.body,
    row.reported,
    row.timer_ms,
    row.expires_ts,
    row.erase_at_ms,
    row.read,
  )
  return changes === 1 ? { ...row, row: lastId, edited_ts: null, text_ts: null, buttons_ts: null } : undefined
}

/** The last moment that a Date can represent: after a later one there would be no free number to count to. */
const TS_MAX = 8_640_000_000_000_000

/** Times rise strictly within one group, but two groups of one private chat may share a millisecond. */
function freeTs(database: Database, row: NewMessage): number {
  let ts = Math.min(row.ts, TS_MAX)
  while (database.get('SELECT 1 FROM message WHERE chat_id = ? AND ts = ?', row.chat_id, ts)) ts++
  return ts
}

export function countUnread(database: Database, chat: ChatId): void {
  const row = database.get<{ count: number }>(
    'SELECT count(*) AS count FROM message WHERE chat_id = ? AND read = 0',
    chat,
  )
  setUnread(database, chat, row?.count ?? 0)
}

/**
 * Leaves no trace: removes the row, everything about it, and its text in waiting events. The chores remove its file;
 * `everywhere` means that nobody else keeps it either.
 */
export function eraseMessage(database: Database, message: MessageId, file: 'here' | 'everywhere'): void {
  const row = messageById(database, message)
  if (!row) return
  const body = bodyOf(row)
  if (body.kind === 'file') noteDeadFile(database, body.blob, file)
  database.run('DELETE FROM message WHERE id = ?', message)
  database.run('DELETE FROM reaction WHERE message_id = ?', message)
  database.run('DELETE FROM poll WHERE message_id = ?', message)
  database.run('DELETE FROM vote WHERE message_id = ?', message)
  database.run('DELETE FROM offered_data WHERE message_id = ?', message)
  database.run('DELETE FROM held_event WHERE message_id = ?', message)
  stripMessage(database, message)
}

type EditedMessage = Pick<MessageRow, 'id' | 'body' | 'edited_ts' | 'text_ts' | 'buttons_ts'>

export function saveEdit(database: Database, edited: EditedMessage): void {
  database.run(
    'UPDATE message SET body = ?, edited_ts = ?, text_ts = ?, buttons_ts = ? WHERE id = ?',
    edited.body,
    edited.edited_ts,
    edited.text_ts,
    edited.buttons_ts,
    edited.id,
  )
}

export function markReported(database: Database, message: MessageId): void {
  database.run('UPDATE message SET reported = 1 WHERE id = ?', message)
}
