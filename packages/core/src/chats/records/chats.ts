// The records of chats and their members, and how a chat is presented to callers.
import type { Chat } from '@postern/bot-api/objects'
import {
  type AccountId,
  type ChatId,
  CodedError,
  cleanLine,
  clientLimits,
  type GroupId,
  isAccountId,
  privateChatId,
} from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { nameOf, shownName, UNNAMED_CHARS } from '../../identity/people.ts'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { notePicture } from './chat-pictures.ts'
import { excludeRemoved, forgetRequests } from './join-requests.ts'

export type ChatState = Chat['state']

export type ChatRow = {
  id: ChatId
  type: Chat['type']
  state: ChatState
  /** 0 until its first content has come: a chat without content is not shown. */
  visible: number
  title: string
  timer_ms: number
  group_id: GroupId
  first_seen_ts: number
  /** Rises whenever a member comes or goes. */
  roster_version: number
  /** When a notice last reported a refusal. */
  warned_ms: number
  /** The highest generation of a group that was refused. `refused_ms` is set while a member has to answer it. */
  refused_generation: number
  refused_ms: number | null
  /** In a private chat: its person is blocked. */
  blocked: number
  /** Its owner has declined or deleted it, and it is not shown. */
  declined: number
}

type MemberRow = { account_id: AccountId; admin: number; leaving: number }
type NamedMember = {
  chat_id: ChatId
  account_id: AccountId
  admin: number
  name: string | null
  bot: number | null
  verified: number | null
}
type Reads = Pick<Store, 'get' | 'all'>

/**
 * Without the count of unread messages: it changes with every message, and then the row could not be kept in memory.
 */
export const findChat = (reads: Reads, id: ChatId): ChatRow | undefined =>
  reads.get<ChatRow>(
    `SELECT id, type, state, visible, title, timer_ms, group_id, first_seen_ts, roster_version, warned_ms,
       refused_generation, refused_ms, blocked, declined FROM chat WHERE id = ?`,
    id,
  )

const unreadIn = (reads: Reads, id: ChatId): number =>
  reads.get<{ unread: number }>('SELECT unread FROM chat WHERE id = ?', id)?.unread ?? 0

export function visibleChat(reads: Reads, id: ChatId): ChatRow {
  const row = findChat(reads, id)
  if (!row?.visible) throw new CodedError('chat-not-found', { chat: id })
  return row
}

/** The chat is shown and its events are emitted: it is neither a request nor left, and its person is not blocked. */
export const isInUse = (row: ChatRow | undefined): row is ChatRow =>
  row?.visible === 1 && row.state === 'active' && row.blocked === 0

/** The columns of a chat that are shown. With ten thousand chats, each further column costs milliseconds. */
export type ShownChat = Pick<ChatRow, 'id' | 'type' | 'state' | 'title' | 'timer_ms' | 'first_seen_ts' | 'blocked'> & {
  unread: number
}

const shownColumns = 'id, type, state, title, timer_ms, first_seen_ts, unread, blocked'

export const shownChat = (reads: Reads, id: ChatId): ShownChat | undefined =>
  reads.get<ShownChat>(`SELECT ${shownColumns} FROM chat WHERE id = ? AND visible = 1`, id)

/** `after`: the chat after which the page begins. Without a limit the page has all that follow. */
export type ChatsPage = { limit?: number; after?: ChatId }

/** In the order in which they were first seen. A chat that is hidden by now still marks a place. */
export function visibleChats(reads: Reads, { limit, after }: ChatsPage = {}): ShownChat[] {
  const before = after === undefined ? undefined : findChat(reads, after)
  if (after !== undefined && !before) throw new CodedError('chat-not-found', { chat: after })
  return reads.all<ShownChat>(
    `SELECT ${shownColumns} FROM chat
     WHERE visible = 1 AND (first_seen_ts, id) > (?, ?) ORDER BY first_seen_ts, id LIMIT 0 + ?`,
    before?.first_seen_ts ?? -1,
    before?.id ?? '',
    limit ?? -1,
  )
}

/** The other person of a private chat, whose id is the chat's. */
export const otherPerson = (row: Pick<ChatRow, 'type' | 'id'>): AccountId | undefined =>
  row.type === 'private' && isAccountId(row.id) ? row.id : undefined

export const membersOf = (reads: Reads, chat: ChatId): MemberRow[] =>
  reads.all<MemberRow>('SELECT account_id, admin, leaving FROM member WHERE chat_id = ? ORDER BY account_id', chat)

/** A member who has said farewell counts until the group has new keys without it. */
export const isMember = (reads: Reads, chat: ChatId, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM member WHERE chat_id = ? AND account_id = ?', chat, account) !== undefined

/** Neither gone nor about to go. */
export const isStaying = (reads: Reads, chat: ChatId, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM member WHERE chat_id = ? AND account_id = ? AND leaving = 0', chat, account) !== undefined

/** In any chat, also in one that is not shown. */
export const isMemberAnywhere = (reads: Reads, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM member WHERE account_id = ?', account) !== undefined

/** Private chats have no admins. */
export const isAdmin = (reads: Reads, chat: ChatId, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM member WHERE chat_id = ? AND account_id = ? AND admin = 1', chat, account) !== undefined

const presentMembers = `
  SELECT chat_id, member.account_id, admin, name, bot, verified FROM member LEFT JOIN person USING (account_id) WHERE leaving = 0`

export function viewChat(reads: Reads, row: ChatRow): Chat {
  return viewWith(reads, { ...row, unread: unreadIn(reads, row.id) }, presentIn(reads, row.id))
}

/** A query for each of ten thousand chats would delay every other caller. */
export function viewChats(reads: Reads, rows: ShownChat[]): Chat[] {
  const membersIn =
    rows.length <= clientLimits.chatLooksMax ? (chat: ChatId) => presentIn(reads, chat) : allPresent(reads)
  return rows.map(row => viewWith(reads, row, membersIn(row.id)))
}

const presentIn = (reads: Reads, chat: ChatId): NamedMember[] =>
  reads.all<NamedMember>(`${presentMembers} AND chat_id = ? ORDER BY member.account_id`, chat)

function allPresent(reads: Reads): (chat: ChatId) => NamedMember[] {
  const byChat = new Map<ChatId, NamedMember[]>()
  for (const member of reads.all<NamedMember>(`${presentMembers} ORDER BY chat_id, member.account_id`)) {
    const others = byChat.get(member.chat_id)
    if (others) others.push(member)
    else byChat.set(member.chat_id, [member])
  }
  return chat => byChat.get(chat) ?? []
}

function viewWith(reads: Reads, row: ShownChat, members: NamedMember[]): Chat {
  const named = row.type === 'group' ? undefined : members.find(member => privateChatId(member.account_id) === row.id)
  return {
    id: row.id,
    type: row.type,
    name: row.type === 'group' ? row.title : privateName(reads, row, named),
    state: row.state,
    members: members.map(({ account_id: id, name, bot, admin }) => ({
      id,
      name: shownName(id, name),
      bot: bot === 1,
      ...(admin && { admin: true }),
    })),
    timer_ms: row.timer_ms,
    unread: row.unread,
    ts: row.first_seen_ts,
    ...(row.blocked && { blocked: true }),
    ...(named?.verified && { verified: true }),
  }
}

/** Looks the name up if the person is no member any more. */
function privateName(reads: Reads, row: ShownChat, named: NamedMember | undefined): string {
  if (named) return shownName(named.account_id, named.name)
  const other = otherPerson(row)
  return other ? nameOf(reads, other) : row.title
}

export type NewChat = Pick<ChatRow, 'id' | 'group_id' | 'state' | 'visible' | 'first_seen_ts'>

export function insertChat(database: Database, chat: NewChat, settings: GroupSettings): void {
  database.run(
    `INSERT INTO chat (id, type, state, visible, title, timer_ms, group_id, first_seen_ts, blocked)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, coalesce((SELECT blocked FROM person WHERE account_id = ?), 0))
     ON CONFLICT DO UPDATE SET state = excluded.state, visible = excluded.visible, title = excluded.title,
       timer_ms = excluded.timer_ms, group_id = excluded.group_id`,
    chat.id,
    settings.type,
    chat.state,
    chat.visible,
    titleOf(chat.id, settings),
    settings.timerMs,
    chat.group_id,
    chat.first_seen_ts,
    chat.id,
  )
  notePicture(database, chat.id, settings)
}

/** Updates the records to the settings that the group's members agreed on. */
export function applySettings(database: Database, chat: ChatId, settings: GroupSettings): void {
  database.run('UPDATE chat SET title = ?, timer_ms = ? WHERE id = ?', titleOf(chat, settings), settings.timerMs, chat)
  notePicture(database, chat, settings)
}

export function deleteMember(database: Database, chat: ChatId, account: AccountId): void {
  database.run('DELETE FROM member WHERE chat_id = ? AND account_id = ?', chat, account)
}

export function replaceMembers(
  database: Database,
  chat: ChatId,
  { accounts, settings }: { accounts: AccountId[]; settings: GroupSettings },
): void {
  const admins = new Set(settings.type === 'group' ? settings.admins : [])
  const before = membersOf(database, chat)
  const present = new Set(accounts)
  const known = new Set(before.map(({ account_id }) => account_id))
  for (const { account_id, leaving } of before) {
    if (present.has(account_id)) continue
    deleteMember(database, chat, account_id)
    if (!leaving) excludeRemoved(database, chat, account_id)
  }
  for (const account of accounts) if (!known.has(account)) forgetRequests(database, chat, account)
  for (const account of accounts)
    database.run(
      `INSERT INTO member (chat_id, account_id, admin) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET admin = excluded.admin`,
      chat,
      account,
      admins.has(account) ? 1 : 0,
    )
}

/** The chat is in use: show it. */
export function revealChat(database: Database, chat: ChatId): void {
  database.run('UPDATE chat SET visible = 1, declined = 0 WHERE id = ?', chat)
}

export function noteUnread(database: Database, chat: ChatId): void {
  database.run('UPDATE chat SET unread = unread + 1 WHERE id = ?', chat)
}

export function setUnread(database: Database, chat: ChatId, count: number): void {
  database.run('UPDATE chat SET unread = ? WHERE id = ?', count, chat)
}

export function setChatState(database: Database, chat: ChatId, state: ChatState): void {
  database.run('UPDATE chat SET state = ? WHERE id = ?', state, chat)
}

export function showChat(database: Database, chat: ChatId, { state, ts }: { state: ChatState; ts: number }): void {
  database.run('UPDATE chat SET visible = 1, state = ?, first_seen_ts = ?, declined = 0 WHERE id = ?', state, ts, chat)
}

/**
 * Cleans the title, because another client may have set it.
 * A title without a visible character becomes the beginning of the chat's id.
 */
export const titleOf = (chat: ChatId, settings: GroupSettings): string =>
  settings.type === 'group' ? cleanLine(settings.title) || chat.slice(0, UNNAMED_CHARS) : ''
