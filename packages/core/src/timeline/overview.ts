// The list of chats as a screen shows it: each with its last line, newest first.
import type { Chat } from '@postern/bot-api/objects'
import type { AccountId, ChatId } from '@postern/protocol'
import { newestNotices } from '../chats/notices.ts'
import { viewChats, visibleChats } from '../chats/records/chats.ts'
import { newestMessages } from '../messages/messages.ts'
import type { Store } from '../storage/transactions/store.ts'
import { type HistoryRow, viewNoticeRow } from './history.ts'
import { type KnownPeople, knownPeople, viewMessages } from './view-message.ts'

/** `last_ts`: the time of the last line, or else when the chat was first seen. */
export type ChatOverview = Chat & { last?: HistoryRow; last_ts: number }

type Reads = Pick<Store, 'get' | 'all'>

/** A few queries for everything: a query for each of ten thousand chats would delay every other caller. */
export function overviewOf(reads: Reads, own: AccountId): ChatOverview[] {
  const chats = viewChats(reads, visibleChats(reads))
  const person = knownPeople(
    reads,
    chats.flatMap(chat => chat.members),
  )
  const last = lastLines(reads, { own, person })
  return chats
    .map((chat): ChatOverview => {
      const line = last.get(chat.id)
      return line ? { ...chat, last: line, last_ts: tsOf(line) } : { ...chat, last_ts: chat.ts }
    })
    .sort((one, other) => other.last_ts - one.last_ts)
}

function lastLines(reads: Reads, around: { own: AccountId; person: KnownPeople }): Map<ChatId, HistoryRow> {
  const lines = new Map<ChatId, HistoryRow>()
  for (const message of viewMessages(reads, newestMessages(reads), around))
    lines.set(message.chat_id, { kind: 'message', message })
  for (const row of newestNotices(reads)) {
    const before = lines.get(row.chat_id)
    if (!before || tsOf(before) < row.ts) lines.set(row.chat_id, viewNoticeRow(row, around.person))
  }
  return lines
}

const tsOf = (row: HistoryRow): number => (row.kind === 'message' ? row.message.ts : row.ts)
