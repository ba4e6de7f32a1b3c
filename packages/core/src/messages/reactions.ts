// Reactions: one emoji per person and message; a new one takes the place of the old.
import { type ChatId, CodedError, isOneSign, type MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import type { Database } from '../storage/database.ts'
import { findMessage, type MessageRow } from './messages.ts'
import type { SaidOf } from './said.ts'
import { tellAbout } from './tell-about.ts'

const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji}\uFE0F?\u20E3/u

export function takeReaction(core: Core, database: Database, { chat, sender, ts, body }: SaidOf<'reaction'>): void {
  const row = database.get<MessageRow>('SELECT * FROM message WHERE id = ? AND chat_id = ?', body.target, chat.id)
  if (!row || (body.emoji !== '' && !isOneEmoji(body.emoji))) return
  // One that was taken back stays as an empty one: an older one that is settled late must not come out above it.
  const { changes } = database.run(
    `INSERT INTO reaction (message_id, account_id, emoji, ts) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET emoji = excluded.emoji, ts = excluded.ts WHERE excluded.ts > ts`,
    row.id,
    sender,
    body.emoji,
    ts,
  )
  if (changes === 0) return
  if (sender !== core.own.id) tellAbout(core, database, { chat, type: 'reaction', message: row.id, by: sender, ts })
}

export function assertReaction(
  core: Core,
  chat: ChatId,
  { target, emoji }: { target: MessageId; emoji: string },
): void {
  visibleChat(core.store, chat)
  findMessage(core.store, chat, target)
  if (emoji !== '' && !isOneEmoji(emoji))
    throw new CodedError('bad-field', { field: 'emoji', rule: 'exactly one emoji is required' })
}

const isOneEmoji = (text: string): boolean => isOneSign(text) && EMOJI.test(text)
