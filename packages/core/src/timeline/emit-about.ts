// Emits the events about messages into the journal: immediately, or once the request is accepted.
import type { OperatorEvent } from '@postern/bot-api/events'
import type { ChatId } from '@postern/protocol'
import type { ChatRow } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent, appendLatest } from '../journal/journal.ts'
import { type AboutMessage, holdEvent } from '../messages/held-events.ts'
import { lookUpMessage } from '../messages/messages.ts'
import { emojiOf } from '../messages/reactions.ts'
import type { Database } from '../storage/database.ts'
import { viewMessage } from './view-message.ts'

type EmitContext = Pick<Core, 'own' | 'elapsed'>

/** A chat that was left emits nothing. */
export function emitAbout(
  core: EmitContext,
  database: Database,
  { chat, ...about }: AboutMessage & { chat: ChatRow },
): void {
  if (chat.state === 'active') appendAbout(core, database, { chat: chat.id, about })
  if (chat.state === 'request') holdEvent(database, chat.id, about)
}

type Told = { chat: ChatId; about: AboutMessage }

export function appendAbout(core: EmitContext, database: Database, told: Told): void {
  const { type, message } = told.about
  // With every voter in it, the event is 12 kB in a group of 200.
  // Built for each of many votes, it took most of their time.
  if (type === 'poll') return appendLatest(core, database, { message, view: () => eventOf(core, database, told) })
  const event = eventOf(core, database, told)
  if (event) appendEvent(core, database, event)
}

function eventOf(core: EmitContext, database: Database, { chat, about }: Told): OperatorEvent | undefined {
  const { type, message, by } = about
  switch (type) {
    case 'edited':
    case 'poll': {
      const row = lookUpMessage(database, chat, message)
      return row && { type, chat_id: chat, message: viewMessage(database, row, core.own.id) }
    }
    case 'reaction': {
      const emoji = by && emojiOf(database, { message, by })
      if (!by || emoji === undefined) return undefined
      return { type, chat_id: chat, reaction: { message_id: message, from: personOf(database, by), emoji } }
    }
    case 'deleted':
      return by && { type, chat_id: chat, deleted: { message_id: message, from: personOf(database, by) } }
    case 'expired':
      return { type, chat_id: chat, expired: [message] }
  }
}
