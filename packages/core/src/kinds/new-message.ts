// The common part of applying any kind of message: the row, its countdown, the unread count and the receipt.
import { noteUnread } from '../chats/records/chats.ts'
import { ageOf } from '../messages/age.ts'
import { insertMessage } from '../messages/messages.ts'
import { ignored, type Outcome } from '../messages/outcome.ts'
import { owesReceipt } from '../messages/receipts-due.ts'
import type { Database } from '../storage/database.ts'
import type { ContentEventOf } from './content-event.ts'
import type { ApplyContext } from './kind.ts'

export type MessageKind = 'text' | 'file' | 'poll' | 'unknown'

const messageKinds: ReadonlySet<string> = new Set<MessageKind>(['text', 'file', 'poll', 'unknown'])

/** More than a change of earlier content, or a name. */
export const isMessage = ({ kind }: { kind: string }): boolean => messageKinds.has(kind)

export function applyMessage(core: ApplyContext, database: Database, said: ContentEventOf<MessageKind>): Outcome {
  const { id, chat, sender, ts, send, body } = said
  const isOwn = sender === core.own.id
  const timerMs = isOwn ? ownTimerMs(body) : chat.timer_ms
  const row = insertMessage(database, {
    id,
    chat_id: chat.id,
    sender,
    ts,
    send_id: send,
    body: JSON.stringify(body),
    reported: isOwn || chat.state === 'active' ? 1 : 0,
    timer_ms: timerMs,
    // The countdown starts for the sender when the message is sent, for a reader when it is read.
    expires_ts: isOwn && timerMs > 0 ? ts + timerMs : null,
    erase_at_ms: isOwn && timerMs > 0 ? core.elapsed.nowMs() + timerMs - ageOf(core, ts) : null,
    read: isOwn ? 1 : 0,
  })
  if (!row) return ignored('sent before')
  if (isOwn) core.typists.said(chat.id, ts)
  else core.typists.spoke({ chat: chat.id, account: sender, ts })
  if (row.expires_ts) core.rescheduleTimers()
  if (!isOwn) {
    noteUnread(database, chat.id)
    owesReceipt(core, database, { chat, author: sender, deliveredTs: row.ts, readTs: 0 })
  }
  return { kind: 'applied', message: row }
}

/**
 * A message of our own may be settled after the timer has changed again: its body has the timer of its place in the
 * log. Messages of others are applied at their places, with the chat's timer there, whatever a modified client named.
 */
const ownTimerMs = (body: ContentEventOf<MessageKind>['body']): number => ('timerMs' in body ? (body.timerMs ?? 0) : 0)
