// A press of a button, sent to the bot alone.
import { type ChatId, CodedError, type MessageId, type PressId } from '@postern/protocol'
import { visibleChat } from '../chats/records/chats.ts'
import { personOf, profileOf } from '../identity/people.ts'
import { ownProfile } from '../identity/profile.ts'
import { appendEvent } from '../journal/journal.ts'
import { findMessage, lookUpMessage } from '../messages/messages.ts'
import { applied, ignored } from '../messages/outcome.ts'
import { notePress } from '../messages/presses.ts'
import { hasButton, hasOffered } from './buttons.ts'
import type { Kind, ValidateContext } from './kind.ts'

/** The id stays when a press is sent again, so the bot accepts it once. */
export type NewPress = { press: PressId; message: MessageId; data: string }

export const press = {
  way: 'to one member',
  check: (core, chat, { message, data }) => {
    assertActive(core, chat)
    const row = findMessage(core.store, chat, message)
    if (row.sender === core.own.id || !profileOf(core.store, row.sender).bot)
      throw new CodedError('bad-field', { field: 'message', rule: 'must be a message from a bot' })
    if (!hasButton(row, data))
      throw new CodedError('bad-field', { field: 'data', rule: 'must be the data of a button of the message' })
  },
  body: (_core, _chat, { press: id, message, data }) => ({ kind: 'press', press: id, target: message, data }),
  /** Runs at the bot. It ignores a press of a button that it never offered, or of a deleted message. */
  apply: (core, database, { chat: { id: chat, state }, sender: from, ts, body }) => {
    if (state !== 'active') return ignored('the chat is not active')
    const row = lookUpMessage(database, chat, body.target)
    if (!row) return ignored('no such message')
    const isForUs = row.sender === core.own.id && ownProfile(core.store).profile.bot
    if (!isForUs || from === core.own.id || !hasOffered(database, row, body.data)) return ignored('no button of ours')
    const pressed = { id: body.press, chat_id: chat, message_id: row.id, presser: from, bot: core.own.id, ts }
    if (!notePress(core, database, pressed)) return ignored('sent before')
    const button = { message_id: row.id, from: personOf(database, from), data: body.data, press_id: body.press }
    appendEvent(core, database, { type: 'button', chat_id: chat, button })
    return applied
  },
} satisfies Kind<'press', NewPress>

/** Throws unless the chat can be written to. */
export function assertActive({ store }: Pick<ValidateContext, 'store'>, chat: ChatId): void {
  const { state, blocked } = visibleChat(store, chat)
  if (state !== 'active') throw new CodedError(state === 'request' ? 'chat-is-request' : 'chat-left')
  if (blocked) throw new CodedError('chat-blocked')
}
