// What somebody has said in a chat, applied to the records: the same for what others say and for what we said ourselves.
import { fromBase64Url } from '@postern/protocol'
import { findChat, noteLeaving, setChatState, viewChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import { ageOf } from './age.ts'
import { takeCall } from './calls.ts'
import { takeDelete } from './delete.ts'
import { takeEdit } from './edit.ts'
import { insertMessage, type MessageRow } from './messages.ts'
import { takeClose, takePoll, takeVote } from './polls.ts'
import { takeReaction } from './reactions.ts'
import { owesReceipt } from './receipts.ts'
import type { Said } from './said.ts'
import { viewMessage } from './view-message.ts'

/** The row of a message that is new. */
export function takeBody(core: Core, database: Database, said: Said): MessageRow | undefined {
  const { body } = said
  switch (body.kind) {
    case 'text':
    case 'file':
    case 'poll':
    case 'unknown':
      return takeMessage(core, database, said)
    case 'vote':
      takeVote(core, database, { ...said, body })
      return undefined
    case 'close':
      takeClose(core, database, { ...said, body })
      return undefined
    case 'edit':
      takeEdit(core, database, { ...said, body })
      return undefined
    case 'delete':
      takeDelete(core, database, { ...said, body })
      return undefined
    case 'reaction':
      takeReaction(core, database, { ...said, body })
      return undefined
    case 'call':
      takeCall(core, database, { ...said, body })
      return undefined
    case 'leave':
      takeLeave(core, database, said)
      return undefined
    // Said between clients, or in a direct message: nothing to show.
    case 'hello':
    case 'rejoin':
    case 'compare':
    case 'receipt':
    case 'press':
    case 'toast':
      return undefined
    default:
      return body satisfies never
  }
}

function takeMessage(core: Core, database: Database, said: Said): MessageRow | undefined {
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
  if (!row) return undefined
  if (row.expires_ts) core.rearm()
  if (body.kind === 'poll') takePoll(core, database, { ...said, body })
  if (isOwn) {
    // From here on the blob belongs to the message: until now nobody would have missed it.
    if (body.kind === 'file') database.run('DELETE FROM upload WHERE blob_id = ?', body.blob)
    return row
  }
  database.run('UPDATE chat SET unread = unread + 1 WHERE id = ?', chat.id)
  owesReceipt(core, database, { chat, author: sender, deliveredTs: row.ts, readTs: 0 })
  if (!row.reported) return row
  appendEvent(core, database, { type: 'message', chat_id: chat.id, message: viewMessage(database, row, core.own.id) })
  return row
}

function takeLeave(core: Core, database: Database, { chat, sender, body }: Said): void {
  // Nobody leaves a private chat: acted upon, it would be a chat with nobody.
  if (chat.type !== 'group') return
  const farewell = body.kind === 'leave' && body.proof ? fromBase64Url(body.proof) : undefined
  noteLeaving(database, chat.id, { account: sender, farewell })
  // With the word itself: a farewell that was in doubt has left all the same.
  if (sender === core.own.id) return setChatState(database, chat.id, 'left')
  const row = findChat(database, chat.id)
  if (!row || chat.state !== 'active') return
  appendEvent(core, database, { type: 'chat', chat_id: chat.id, chat: viewChat(database, row) })
  const notice = { code: 'left' as const, from: personOf(database, sender) }
  appendEvent(core, database, { type: 'notice', chat_id: chat.id, notice })
}
