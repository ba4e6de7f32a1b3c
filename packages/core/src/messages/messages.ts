// Messages: the records, and how a message looks from outside.
import { type AccountId, type ChatId, CodedError, type MessageId, type SendId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import type { Message, Person } from '@postern/protocol/objects'
import { personOf } from '../identity/people.ts'
import { stripMessage } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/store.ts'

export type MessageRow = {
  id: MessageId
  chat_id: ChatId
  sender: AccountId
  ts: number
  send_id: SendId
  /** The content's body as JSON: also of kinds that this version does not know. */
  body: string
  /** Whether the journal has it: not while its chat is a request. */
  reported: number
  edited_ts: number | null
  /** How long it is kept after it was read; 0: for ever. */
  timer_ms: number
  expires_ts: number | null
  read: number
}

export type NewMessage = Omit<MessageRow, 'edited_ts'>

type Reads = Pick<Store, 'get' | 'all'>
type Body = Content['body']

export function findMessage(reads: Reads, chat: ChatId, message: MessageId): MessageRow {
  const row = reads.get<MessageRow>('SELECT * FROM message WHERE id = ? AND chat_id = ?', message, chat)
  if (!row) throw new CodedError('message-not-found', { message })
  return row
}

/** Oldest first; the newest page when `beforeTs` is absent. */
export function listMessages(reads: Reads, chat: ChatId, page: { beforeTs?: number; limit: number }): MessageRow[] {
  return reads
    .all<MessageRow>(
      'SELECT * FROM message WHERE chat_id = ? AND ts < ? ORDER BY ts DESC LIMIT 0 + ?',
      chat,
      page.beforeTs ?? Number.MAX_SAFE_INTEGER,
      page.limit,
    )
    .reverse()
}

export const unreportedMessages = (reads: Reads, chat: ChatId): MessageRow[] =>
  reads.all<MessageRow>('SELECT * FROM message WHERE chat_id = ? AND reported = 0 ORDER BY ts', chat)

export const viewMessage = (reads: Reads, row: MessageRow, own: AccountId): Message =>
  viewWith(row, {
    person: account => personOf(reads, account),
    reactions: reactionsTo(reads, [row]).get(row.id) ?? [],
    status: row.sender === own ? statusIn(reads, row.chat_id)(row) : undefined,
  })

/** Messages of one chat: one look at its reactions, its receipts and each name. */
export function viewMessages(reads: Reads, rows: MessageRow[], own: AccountId): Message[] {
  const [first] = rows
  if (!first) return []
  const reactions = reactionsTo(reads, rows)
  const status = statusIn(reads, first.chat_id)
  const people = new Map<AccountId, Person>()
  const person = (account: AccountId): Person => {
    const known = people.get(account) ?? personOf(reads, account)
    people.set(account, known)
    return known
  }
  return rows.map(row =>
    viewWith(row, {
      person,
      reactions: reactions.get(row.id) ?? [],
      status: row.sender === own ? status(row) : undefined,
    }),
  )
}

type ReactionRow = { message_id: MessageId; account_id: AccountId; emoji: string }
type Around = { person: (account: AccountId) => Person; reactions: ReactionRow[]; status: Message['status'] }

function viewWith(row: MessageRow, { person, reactions, status }: Around): Message {
  const body = JSON.parse(row.body) as Body
  return {
    id: row.id,
    chat_id: row.chat_id,
    from: person(row.sender),
    ts: row.ts,
    ...(body.kind === 'text' && {
      text: body.text,
      ...(body.replyTo && { reply_to: body.replyTo }),
      ...(body.mentions && { mentions: body.mentions }),
    }),
    ...(reactions.length > 0 && {
      reactions: reactions.map(({ account_id, emoji }) => ({ emoji, from: person(account_id) })),
    }),
    ...(row.edited_ts !== null && { edited_ts: row.edited_ts }),
    ...(row.expires_ts !== null && { expires_ts: row.expires_ts }),
    ...(status && { status }),
  }
}

function reactionsTo(reads: Reads, rows: MessageRow[]): Map<MessageId, ReactionRow[]> {
  const found = reads.all<ReactionRow>(
    `SELECT message_id, account_id, emoji FROM reaction
     WHERE message_id IN (SELECT value FROM json_each(?)) AND emoji <> '' ORDER BY ts`,
    JSON.stringify(rows.map(row => row.id)),
  )
  return Map.groupBy(found, reaction => reaction.message_id)
}

/** In a group: as soon as somebody has it, has read it. */
function statusIn(reads: Reads, chat: ChatId): (row: MessageRow) => NonNullable<Message['status']> {
  const reached = reads.get<{ delivered: number | null; read: number | null }>(
    'SELECT max(delivered_ts) AS delivered, max(read_ts) AS read FROM member WHERE chat_id = ?',
    chat,
  )
  return row => {
    if ((reached?.read ?? 0) >= row.ts) return 'read'
    return (reached?.delivered ?? 0) >= row.ts ? 'delivered' : 'sent'
  }
}

/** False for a repeat: a message that was encrypted again because the group had moved on, or one the relay replays. */
export function insertMessage(database: Database, row: NewMessage): MessageRow | undefined {
  const repeat = database.get(
    'SELECT 1 FROM message WHERE id = ? OR (sender = ? AND send_id = ?)',
    row.id,
    row.sender,
    row.send_id,
  )
  if (repeat) return undefined
  const placed: MessageRow = { ...row, ts: freeTs(database, row), edited_ts: null }
  database.run(
    `INSERT INTO message (id, chat_id, sender, ts, send_id, body, reported, timer_ms, expires_ts, read)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    placed.id,
    placed.chat_id,
    placed.sender,
    placed.ts,
    placed.send_id,
    placed.body,
    placed.reported,
    placed.timer_ms,
    placed.expires_ts,
    placed.read,
  )
  return placed
}

/** The last moment that a Date can show: behind a later one there would be no free number to count to. */
const TS_MAX = 8_640_000_000_000_000

/** Times rise strictly within one group; two groups of one private chat may meet in a millisecond. */
function freeTs(database: Database, row: NewMessage): number {
  let ts = Math.min(row.ts, TS_MAX)
  while (database.get('SELECT 1 FROM message WHERE chat_id = ? AND ts = ?', row.chat_id, ts)) ts++
  return ts
}

export function countUnread(database: Database, chat: ChatId): void {
  database.run(
    'UPDATE chat SET unread = (SELECT count(*) FROM message WHERE chat_id = ? AND read = 0) WHERE id = ?',
    chat,
    chat,
  )
}

/** Without a trace: its row, its reactions, and its words in events that wait. */
export function eraseMessage(database: Database, message: MessageId): void {
  database.run('DELETE FROM message WHERE id = ?', message)
  database.run('DELETE FROM reaction WHERE message_id = ?', message)
  stripMessage(database, message)
}

export function markReported(database: Database, message: MessageId): void {
  database.run('UPDATE message SET reported = 1 WHERE id = ?', message)
}
