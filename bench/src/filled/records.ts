// Rows as core writes them, in large numbers: people, chats, messages and their updates.
import { randomFillSync } from 'node:crypto'
import type { Message, Person } from '@postern/bot-api/objects'
import {
  ACCOUNT_ID_BYTES,
  type AccountId,
  type ChatId,
  GROUP_ID_BYTES,
  groupChatId,
  groupIdFromBytes,
  MESSAGE_ID_BYTES,
  type MessageId,
  privateChatId,
  SEND_ID_BYTES,
  sendIdFromBytes,
  systemClock,
  toBase32,
} from '@postern/protocol'
import type { GroupSettings, Profile } from '@postern/protocol/content'
import {
  appendEvent,
  type Database,
  type GroupSession,
  insertChat,
  insertGroup,
  insertMessage,
  noteHello,
  noteProfile,
  replaceMembers,
} from '../inside.ts'

const PROFILE_KEY_BYTES = 32
const pool = { bytes: Buffer.alloc(64 * 1024), used: 64 * 1024 }

/** From a pool: asking the system for a few bytes each time takes a quarter of the whole filling. */
function randomBytes(count: number): Uint8Array {
  if (pool.used + count > pool.bytes.length) {
    randomFillSync(pool.bytes)
    pool.used = 0
  }
  pool.used += count
  return pool.bytes.subarray(pool.used - count, pool.used)
}

export function addPerson(database: Database, name: string): AccountId {
  const account = toBase32(randomBytes(ACCOUNT_ID_BYTES)) as AccountId
  const profile: Profile = { name, about: 'Writes to bots now and then.', bot: false, commands: [] }
  noteHello(database, account, { hello: { name, profileKey: randomBytes(PROFILE_KEY_BYTES) }, version: 1 })
  noteProfile(database, account, { profile, version: 1 })
  return account
}

/** `session` is used as the keys of every chat: none of them is used, all of them take space. */
export type NewChat = { own: AccountId; others: AccountId[]; session: GroupSession; ts: number }

export function addChat(database: Database, { own, others, session, ts }: NewChat): ChatId {
  const group = groupIdFromBytes(randomBytes(GROUP_ID_BYTES))
  const [other, ...more] = others
  if (!other) throw new RangeError('nobody is in the chat')
  const isPrivate = more.length === 0
  const chat = isPrivate ? privateChatId(other) : groupChatId(group)
  const settings: GroupSettings = isPrivate
    ? { v: 1, type: 'private', generation: 0, timerMs: 0 }
    : { v: 1, type: 'group', title: 'A group with a bot', admins: [other], timerMs: 0, generation: 0 }
  insertGroup(database, {
    id: group,
    chat,
    generation: 0,
    session,
    inviter: other,
    needsHello: 1,
    status: 'open',
    renewAtMs: Number.MAX_SAFE_INTEGER,
  })
  insertChat(database, { id: chat, group_id: group, state: 'active', visible: 1, first_seen_ts: ts }, settings)
  replaceMembers(database, chat, { accounts: [own, ...others], settings })
  return chat
}

export type NewText = { chat: ChatId; sender: AccountId; ts: number; text: string }

export function addMessage(database: Database, { chat, sender, ts, text }: NewText): MessageId {
  const id = newMessageId()
  insertMessage(database, {
    id,
    chat_id: chat,
    sender,
    ts,
    send_id: sendIdFromBytes(randomBytes(SEND_ID_BYTES)),
    body: JSON.stringify({ kind: 'text', text }),
    reported: 1,
    timer_ms: 0,
    expires_ts: null,
    erase_at_ms: null,
    read: 1,
  })
  return id
}

export function addReaction(database: Database, message: MessageId, from: AccountId): void {
  database.run('INSERT INTO reaction (message_id, account_id, emoji, ts) VALUES (?, ?, ?, ?)', message, from, '👍', 1)
}

export type NewVote = { message: MessageId; voter: AccountId; option: number }

export function addVote(database: Database, { message, voter, option }: NewVote): void {
  database.run('INSERT INTO vote VALUES (?, ?, ?, ?)', message, voter, Date.now(), JSON.stringify([option]))
}

/** Updates that wait to be fetched, and the JSON that the operator must see. */
export function addUpdates(database: Database, count: number): string[] {
  const from = { id: addPerson(database, 'Ada'), name: 'Ada' }
  const [chat_id, ts] = [privateChatId(from.id), Date.now()]
  const before = database.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'journal'")?.seq ?? 0
  return Array.from({ length: count }, (_, at) => {
    const message = { id: newMessageId(), chat_id, from, ts: ts + at, text: textOf(at) }
    return JSON.stringify({ id: before + at + 1, ...addUpdate(database, message) })
  })
}

/** The update of a text, without its message. */
function addUpdate(database: Database, message: Message) {
  const event = { type: 'message' as const, chat_id: message.chat_id, message }
  appendEvent({ elapsed: { latestMs: systemClock.nowMs } }, database, event)
  return event
}

/** A text and its update, as they arrive in a chat that is there. */
export function addArrival(database: Database, from: Person, at: number): void {
  const [chat, ts, text] = [privateChatId(from.id), Date.now() + at, textOf(at)]
  const id = addMessage(database, { chat, sender: from.id, ts, text })
  addUpdate(database, { id, chat_id: chat, from, ts, text })
}

export const textOf = (at: number): string =>
  `Message ${at}: a text of about a hundred bytes, as people write them to a bot every day, and back.`

const newMessageId = (): MessageId => toBase32(randomBytes(MESSAGE_ID_BYTES)) as MessageId
