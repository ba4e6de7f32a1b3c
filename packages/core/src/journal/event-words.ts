// The text of messages in waiting events, and its removal together with the message.
import type { ChatEvent } from '@postern/bot-api/events'
import type { ChatId, MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'

/** A deleted message is also removed from waiting events: its sender, chat and time stay, its text does not. */
export function stripMessage(database: Database, message: MessageId): void {
  strip(database, database.all<JournalText>('SELECT id, json FROM journal WHERE message_id = ?', message))
}

/** The same for all messages of a chat. */
export function stripChat(database: Database, chat: ChatId): void {
  strip(
    database,
    database.all<JournalText>('SELECT id, json FROM journal WHERE message_id IS NOT NULL AND chat_id = ?', chat),
  )
}

type JournalText = { id: number; json: string }

function strip(database: Database, rows: JournalText[]): void {
  for (const row of rows) {
    const event = JSON.parse(row.json) as ChatEvent
    database.run('UPDATE journal SET json = ? WHERE id = ?', JSON.stringify(wordsIn(event)?.without ?? event), row.id)
  }
}

/**
 * The message whose text an event contains, and the event without it.
 * An event type that is missing here does not compile.
 */
export function wordsIn(event: ChatEvent): { message: MessageId; without: ChatEvent } | undefined {
  switch (event.type) {
    case 'message':
    case 'edited':
    case 'poll': {
      const { id, chat_id, from, ts } = event.message
      return { message: id, without: { ...event, message: { id, chat_id, from, ts } } }
    }
    case 'reaction': {
      const { reaction } = event
      return { message: reaction.message_id, without: { ...event, reaction: { ...reaction, emoji: '' } } }
    }
    case 'button': {
      const { button } = event
      return { message: button.message_id, without: { ...event, button: { ...button, data: '' } } }
    }
    case 'deleted':
    case 'expired':
    case 'chat':
    case 'notice':
    case 'receipt':
    case 'call':
    case 'join_request':
    case 'toast':
      return undefined
  }
}
