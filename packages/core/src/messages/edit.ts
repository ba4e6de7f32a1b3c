// Editing: the sender's own words, replaced for everybody.
import { type ChatId, CodedError, contentLimits, type MessageId } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { type ChatRow, visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import { findMessage, type MessageRow, viewMessage } from './messages.ts'
import type { SaidOf } from './said.ts'

type TextBody = Extract<KnownBody, { kind: 'text' }>

/** What becomes of a message when its sender edits it; undefined when it cannot be edited by that account. */
export function takeEdit(core: Core, database: Database, { chat, sender, ts, body }: SaidOf<'edit'>): void {
  const row = database.get<MessageRow>('SELECT * FROM message WHERE id = ? AND chat_id = ?', body.target, chat.id)
  if (!row || row.sender !== sender || (row.edited_ts ?? 0) >= ts) return
  const before = JSON.parse(row.body) as TextBody
  if (before.kind !== 'text') return
  const { mentions: _, ...rest } = before
  const edited: TextBody = { ...rest, text: body.text, ...(body.mentions && { mentions: body.mentions }) }
  database.run('UPDATE message SET body = ?, edited_ts = ? WHERE id = ?', JSON.stringify(edited), ts, row.id)
  if (sender === core.own.id || !row.reported || chat.state !== 'active') return
  const message = viewMessage(database, { ...row, body: JSON.stringify(edited), edited_ts: ts }, core.own.id)
  appendEvent(core, database, { type: 'edited', chat_id: chat.id, message })
}

/** Throws unless the message is this account's own text and young enough. */
export function assertEditable(core: Core, chat: ChatId, target: MessageId): ChatRow {
  const row = visibleChat(core.store, chat)
  const message = findMessage(core.store, chat, target)
  if (message.sender !== core.own.id) throw new CodedError('not-own-message')
  if (core.clock.nowMs() - message.ts > contentLimits.editableMs) throw new CodedError('edit-too-late')
  return row
}
