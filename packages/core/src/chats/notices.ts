// Notices, the lines of a chat that no member has written: emitted once in the journal, and kept in the history.
import type { Notice } from '@postern/bot-api/events'
import type { Person } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, clientLimits } from '@postern/protocol'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { findChat, revealChat } from './records/chats.ts'

export type NoticeRow = { id: number; chat_id: ChatId; ts: number; json: string }

/** `ts`: when it happened according to the chat's log; now, if no entry of the log reports it. */
export type NewNotice = { chat: ChatId; notice: Notice; ts: number }

type Reads = Pick<Store, 'get' | 'all'>

export function emitNotice(core: Pick<Core, 'elapsed'>, database: Database, told: NewNotice): void {
  appendEvent(core, database, { type: 'notice', chat_id: told.chat, notice: told.notice })
  keepNotice(database, told)
}

/** Kept in the history without an event: an account is not notified of its own changes, but its screen shows them. */
export function keepNotice(database: Database, { chat, notice, ts }: NewNotice): void {
  if (findChat(database, chat)?.visible !== 1) return
  // Names are looked up when a notice is shown. Stored with each of a thousand members, they would be most of its size.
  const json = JSON.stringify(withPeople(notice, id => ({ id, name: '' })))
  const at = freeTs(database, chat, Math.max(ts, 0))
  database.run('INSERT INTO notice (chat_id, ts, json) VALUES (?, ?, ?)', chat, at, json)
  database.run(
    `DELETE FROM notice WHERE chat_id = ? AND ts <
       (SELECT ts FROM notice WHERE chat_id = ? ORDER BY ts DESC LIMIT 1 OFFSET 0 + ?)`,
    chat,
    chat,
    clientLimits.noticesPerChatMax - 1,
  )
}

/** Shows a chat that this account has opened. A group's history begins with its creator. */
export function revealOpened(
  { own }: Pick<Core, 'own'>,
  database: Database,
  { chat: id, ts }: { chat: ChatId; ts: number },
): void {
  const chat = findChat(database, id)
  revealChat(database, id)
  if (chat?.type !== 'group' || chat.visible === 1) return
  keepNotice(database, {
    chat: id,
    ts,
    notice: { code: 'created', from: personOf(database, own.id), text: chat.title },
  })
}

/** Frees the time of a message, which is the same for all members, by moving a notice that has it. */
export function makeRoom(database: Database, chat: ChatId, ts: number): void {
  if (ts > newestTs(database, chat)) return
  const row = database.get<{ id: number }>('SELECT id FROM notice WHERE chat_id = ? AND ts = ?', chat, ts)
  if (row) database.run('UPDATE notice SET ts = ? WHERE id = ?', freeTs(database, chat, ts + 1), row.id)
}

/** Kept in memory: most messages are newer than every notice and need no search. */
const newestTs = (database: Database, chat: ChatId): number =>
  database.get<{ ts: number | null }>('SELECT max(ts) AS ts FROM notice WHERE chat_id = ?', chat)?.ts ?? 0

/** A time is a place in the history: no two lines may share one. */
function freeTs(database: Database, chat: ChatId, from: number): number {
  const isTaken = (ts: number) =>
    database.get('SELECT 1 FROM notice WHERE chat_id = ? AND ts = ?', chat, ts) ??
    database.get('SELECT 1 FROM message WHERE chat_id = ? AND ts = ?', chat, ts)
  let ts = from
  while (isTaken(ts)) ts++
  return ts
}

/** Newest first. */
export const noticesBefore = (reads: Reads, chat: ChatId, { ts, limit }: { ts: number; limit: number }): NoticeRow[] =>
  reads.all<NoticeRow>(
    'SELECT * FROM notice WHERE chat_id = ? AND ts < ? ORDER BY ts DESC LIMIT 0 + ?',
    chat,
    ts,
    limit,
  )

/** Oldest first. */
export const noticesFrom = (reads: Reads, chat: ChatId, { ts, limit }: { ts: number; limit: number }): NoticeRow[] =>
  reads.all<NoticeRow>('SELECT * FROM notice WHERE chat_id = ? AND ts >= ? ORDER BY ts LIMIT 0 + ?', chat, ts, limit)

/** The newest of each chat that is shown. */
export const newestNotices = (reads: Reads): NoticeRow[] =>
  reads.all<NoticeRow>(
    `SELECT notice.* FROM chat CROSS JOIN notice ON notice.chat_id = chat.id
       AND notice.ts = (SELECT max(ts) FROM notice WHERE chat_id = chat.id)
     WHERE chat.visible = 1`,
  )

/** With the current names and bot marks. */
export const viewNotice = ({ json }: Pick<NoticeRow, 'json'>, person: (account: AccountId) => Person): Notice =>
  withPeople(JSON.parse(json) as Notice, person)

function withPeople(notice: Notice, person: (account: AccountId) => Person): Notice {
  if (notice.code === 'mismatch') return notice
  const named = { ...notice, from: person(notice.from.id) }
  if (!('members' in named) || !named.members) return named
  return { ...named, members: named.members.map(({ id }) => person(id)) }
}

/** Part of forgetting a chat that its owner did not want. */
export function forgetNotices(database: Database, chat: ChatId): void {
  database.run('DELETE FROM notice WHERE chat_id = ?', chat)
}
