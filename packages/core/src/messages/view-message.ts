// How a message looks from outside: its content with everything that was said about it.
import type { FileInfo, Message, Person } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, type MessageId, safeFileName } from '@postern/protocol'
import type { FileBody } from '@postern/protocol/content'
import { personOf } from '../identity/people.ts'
import type { Store } from '../storage/store.ts'
import { type Body, bodyOf, type MessageRow } from './messages.ts'
import { viewPoll } from './poll-tally.ts'

type Reads = Pick<Store, 'get' | 'all'>

export const viewMessage = (reads: Reads, row: MessageRow, own: AccountId): Message =>
  viewWith(row, {
    reads,
    own,
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
      reads,
      own,
      person,
      reactions: reactions.get(row.id) ?? [],
      status: row.sender === own ? status(row) : undefined,
    }),
  )
}

type ReactionRow = { message_id: MessageId; account_id: AccountId; emoji: string }
type Around = {
  reads: Reads
  own: AccountId
  person: (account: AccountId) => Person
  reactions: ReactionRow[]
  status: Message['status']
}

function viewWith(row: MessageRow, around: Around): Message {
  const { person, reactions, status } = around
  return {
    id: row.id,
    chat_id: row.chat_id,
    from: person(row.sender),
    ts: row.ts,
    ...viewBody(row, around),
    ...(reactions.length > 0 && {
      reactions: reactions.map(({ account_id, emoji }) => ({ emoji, from: person(account_id) })),
    }),
    ...(row.edited_ts !== null && { edited_ts: row.edited_ts }),
    ...(row.expires_ts !== null && { expires_ts: row.expires_ts }),
    ...(status && { status }),
  }
}

function viewBody(row: MessageRow, around: Around): Partial<Message> {
  const body: Body = bodyOf(row)
  if (body.kind === 'poll')
    return { ...(body.replyTo && { reply_to: body.replyTo }), poll: viewPoll(around, row.id, body) }
  if (body.kind !== 'text' && body.kind !== 'file') return {}
  return {
    ...(body.text !== undefined && { text: body.text }),
    ...(body.replyTo && { reply_to: body.replyTo }),
    ...(body.mentions && body.mentions.length > 0 && { mentions: body.mentions }),
    ...(body.buttons && body.buttons.length > 0 && { buttons: body.buttons }),
    ...(body.kind === 'file' && { file: viewFile(body) }),
  }
}

export const viewFile = (body: FileBody): FileInfo => ({
  // Whoever saves it under its name must not be led elsewhere.
  name: safeFileName(body.name),
  size: body.size,
  type: body.type,
  kind: body.shownAs,
  ...(body.width !== undefined && { width: body.width }),
  ...(body.height !== undefined && { height: body.height }),
  ...(body.durationMs !== undefined && { duration_ms: body.durationMs }),
  ...(body.preview !== undefined && body.shownAs === 'photo' && { preview: body.preview }),
})

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
