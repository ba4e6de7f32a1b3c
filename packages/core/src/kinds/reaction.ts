// A reaction: one emoji per person and message; a new one replaces the old.
import { assertKept, emojiFault, type MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/records/chats.ts'
import { findMessage, lookUpMessage } from '../messages/messages.ts'
import { ignored } from '../messages/outcome.ts'
import { putReaction } from '../messages/reactions.ts'
import type { Kind } from './kind.ts'

/** An empty emoji takes the reaction back. */
export type NewReaction = { message: MessageId; emoji: string }

export const reaction = {
  way: 'in the chat',
  check: ({ store }, chat, { message, emoji }) => {
    visibleChat(store, chat)
    findMessage(store, chat, message)
    if (emoji !== '') assertKept('emoji', emojiFault(emoji))
  },
  body: (_core, _chat, { message, emoji }) => ({ kind: 'reaction', target: message, emoji }),
  apply: (_core, database, { chat, sender, ts, body }) => {
    const row = lookUpMessage(database, chat.id, body.target)
    if (!row) return ignored('no such message')
    if (body.emoji !== '' && emojiFault(body.emoji) !== undefined) return ignored('no one emoji')
    if (!putReaction(database, { message: row.id, by: sender, emoji: body.emoji, ts }))
      return ignored('later words stand')
    return { kind: 'applied', about: { type: 'reaction', message: row.id, by: sender, ts } }
  },
} satisfies Kind<'reaction', NewReaction>
