// What all kinds of message have in common when they are applied: the row, its countdown, the count of unread, the receipt.
import { noteUnread } from '../chats/chats.ts'
import { ageOf } from '../messages/age.ts'
import { insertMessage } from '../messages/messages.ts'
import { type Outcome, passedOver } from '../messages/outcome.ts'
import { owesReceipt } from '../messages/receipts-due.ts'
import type { Database } from '../storage/database.ts'
import type { Applying } from './kind.ts'
import type { SaidOf } from './said.ts'

export type MessageKind = 'text' | 'file' | 'poll' | 'unknown'

export function applyMessage(core: Applying, database: Database, said: SaidOf<MessageKind>): Outcome {
  const { id, chat, sender, ts, send, body } = said
  const isOwn = sender === core.own.id
  const timerMs = 'timerMs' in body ? (body.timerMs ?? 0) : 0
  const row = insertMessage(database, {
    id,
    chat_id: chat.id,
    sender,
    ts,
    send_id: send,
    body: JSON.stringify(body),
    reported: isOwn || chat.state === 'active' ? 1 : 0,
    timer_ms: timerMs,
    // The countdown starts for the sender when it is sent, for a reader when it is read.
    expires_ts: isOwn && timerMs > 0 ? ts + timerMs : null,
    erase_at_ms: isOwn && timerMs > 0 ? core.passed.nowMs() + timerMs - ageOf(core, ts) : null,
    read: isOwn ? 1 : 0,
  })
  if (!row) return passedOver('sent before')
  if (row.expires_ts) core.rearm()
  if (!isOwn) {
    noteUnread(database, chat.id)
    owesReceipt(core, database, { chat, author: sender, deliveredTs: row.ts, readTs: 0 })
  }
  return { kind: 'applied', message: row }
}
