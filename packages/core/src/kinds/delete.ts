// A deletion for everyone, by the sender alone.
import { CodedError, type MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/records/chats.ts'
import { countUnread, eraseMessage, findMessage, lookUpMessage } from '../messages/messages.ts'
import { applied, ignored } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

export const deletion = {
  way: 'in the chat',
  check: ({ store, own }, chat, { message }) => {
    visibleChat(store, chat)
    if (findMessage(store, chat, message).sender !== own.id) throw new CodedError('not-own-message')
  },
  body: (_core, _chat, { message }) => ({ kind: 'delete', target: message }),
  apply: (core, database, { chat, sender, ts, body }) => {
    const row = lookUpMessage(database, chat.id, body.target)
    if (!row) return ignored('no such message')
    if (row.sender !== sender) return ignored("not the sender's message")
    eraseMessage(database, row.id, sender === core.own.id ? 'everywhere' : 'here')
    countUnread(database, chat.id)
    // Here, for all ways that lead to it: also when somebody else deletes, or a deletion in doubt is settled.
    core.store.eraseTraces()
    core.wakeChores()
    // A message that was never reported has no event for its deletion.
    if (!row.reported) return applied
    return { kind: 'applied', about: { type: 'deleted', message: row.id, by: sender, ts } }
  },
} satisfies Kind<'delete', { message: MessageId }>
