// The history of a chat in pages: messages and notices in one order, with their times as places.
import type { Notice } from '@postern/bot-api/events'
import type { Message } from '@postern/bot-api/objects'
import type { AccountId, ChatId, MessageId } from '@postern/protocol'
import { type NoticeRow, noticesBefore, noticesFrom, viewNotice } from '../chats/notices.ts'
import { findMessage, type MessageRow, messagesBefore, messagesFrom } from '../messages/messages.ts'
import type { Store } from '../storage/transactions/store.ts'
import { type KnownPeople, knownPeople, viewMessages } from './view-message.ts'

export type HistoryRow =
  | { kind: 'message'; message: Message }
  | { kind: 'notice'; id: string; ts: number; notice: Notice }

/** Oldest first. */
export type HistoryPage = { rows: HistoryRow[]; hasOlder: boolean; hasNewer: boolean }

/** The place of a page: next to a time, around one, or around a message. Without any, the page is the last. */
export type PagePlace = { before?: number } | { after?: number } | { around: MessageId | number }

type Reads = Pick<Store, 'get' | 'all'>
type Line = { ts: number; message: MessageRow } | { ts: number; notice: NoticeRow }
type From = { ts: number; limit: number }
/** Reads in both directions from a time: `older` newest first, `newer` oldest first and including that time. */
type Lines<Row> = { older: (from: From) => Row[]; newer: (from: From) => Row[] }
type Cut<Row> = { rows: Row[]; hasOlder: boolean; hasNewer: boolean }

export function historyPage(
  reads: Reads,
  chat: ChatId,
  page: PagePlace & { limit: number; own: AccountId },
): HistoryPage {
  const { rows, ...beyond } = cutPage(linesOf(reads, chat), placeOf(reads, chat, page), page.limit)
  return { rows: viewLines(reads, rows, page.own), ...beyond }
}

/** The same for messages alone. */
export const messagePage = (reads: Reads, chat: ChatId, page: PagePlace & { limit: number }): MessageRow[] =>
  cutPage(messagesIn(reads, chat), placeOf(reads, chat, page), page.limit).rows

export const viewNoticeRow = (row: NoticeRow, person: KnownPeople): HistoryRow => ({
  kind: 'notice',
  id: `n${row.id}`,
  ts: row.ts,
  notice: viewNotice(row, person),
})

type Spot = { kind: 'before' | 'after' | 'around'; ts: number }

function placeOf(reads: Reads, chat: ChatId, page: PagePlace): Spot {
  if ('around' in page) {
    const { around } = page
    return { kind: 'around', ts: typeof around === 'number' ? around : findMessage(reads, chat, around).ts }
  }
  if ('after' in page && page.after !== undefined) return { kind: 'after', ts: page.after }
  return { kind: 'before', ts: ('before' in page ? page.before : undefined) ?? Number.MAX_SAFE_INTEGER }
}

/** Reads one row more than wanted on each side, to know whether there are more. */
function cutPage<Row>({ older, newer }: Lines<Row>, { kind, ts }: Spot, limit: number): Cut<Row> {
  const at = kind === 'after' ? ts + 1 : ts
  const before = older({ ts: at, limit: kind === 'after' ? 1 : limit + 1 })
  const behind = newer({ ts: at, limit: kind === 'before' ? 1 : limit + 1 })
  const wanted = { before: 0, after: limit, around: Math.max(Math.ceil(limit / 2), limit - before.length) }[kind]
  const newerCount = Math.min(behind.length, wanted)
  const olderCount = kind === 'after' ? 0 : Math.min(before.length, limit - newerCount)
  return {
    rows: [...before.slice(0, olderCount).reverse(), ...behind.slice(0, newerCount)],
    hasOlder: before.length > olderCount,
    hasNewer: behind.length > newerCount,
  }
}

const messagesIn = (reads: Reads, chat: ChatId): Lines<MessageRow> => ({
  older: from => messagesBefore(reads, chat, from),
  newer: from => messagesFrom(reads, chat, from),
})

const linesOf = (reads: Reads, chat: ChatId): Lines<Line> => ({
  older: from =>
    [...asMessages(messagesBefore(reads, chat, from)), ...asNotices(noticesBefore(reads, chat, from))]
      .sort((one, other) => other.ts - one.ts)
      .slice(0, from.limit),
  newer: from =>
    [...asMessages(messagesFrom(reads, chat, from)), ...asNotices(noticesFrom(reads, chat, from))]
      .sort((one, other) => one.ts - other.ts)
      .slice(0, from.limit),
})

const asMessages = (rows: MessageRow[]): Line[] => rows.map(message => ({ ts: message.ts, message }))
const asNotices = (rows: NoticeRow[]): Line[] => rows.map(notice => ({ ts: notice.ts, notice }))

function viewLines(reads: Reads, lines: Line[], own: AccountId): HistoryRow[] {
  const person = knownPeople(reads)
  const rows = lines.flatMap(line => ('message' in line ? [line.message] : []))
  const messages = new Map(
    viewMessages(reads, rows, { own, person, forScreen: true }).map(message => [message.id, message]),
  )
  return lines.flatMap((line): HistoryRow[] => {
    if ('notice' in line) return [viewNoticeRow(line.notice, person)]
    const message = messages.get(line.message.id)
    return message ? [{ kind: 'message', message }] : []
  })
}
