// What is said about messages, told to whoever reads the journal: at once, or once the request is accepted.
import type { AccountId, ChatId, MessageId } from '@postern/protocol'
import type { ChatRow } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent, type JournalEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import { lookUpMessage } from './messages.ts'
import { viewMessage } from './view-message.ts'

/** `by` is who did it; nobody, when the time did. */
export type About = {
  type: 'edited' | 'poll' | 'reaction' | 'deleted' | 'expired'
  message: MessageId
  by: AccountId | undefined
  ts: number
}

/** Of a chat that was left nobody is told anything. */
export function tellAbout(core: Core, database: Database, { chat, ...about }: About & { chat: ChatRow }): void {
  if (chat.state === 'active') append(core, database, { chat: chat.id, about })
  if (chat.state === 'request') hold(database, chat.id, about)
}

/**
 * Only that it happened, once for each message and person: what it comes to is looked up when it is told. So a stranger
 * who edits for hours has one more event for it, and no words are kept that were deleted since.
 */
function hold(database: Database, chat: ChatId, { type, message, by, ts }: About): void {
  // Not before the message itself: a stranger's poll may have been over before it was asked.
  const heldTs = Math.max(ts, lookUpMessage(database, chat, message)?.ts ?? 0)
  database.run('INSERT OR REPLACE INTO held_event VALUES (?, ?, ?, ?, ?)', chat, type, message, by ?? '', heldTs)
}

/** What was held back, in the order of its times; it is held no longer. */
export function takeHeld(database: Database, chat: ChatId): About[] {
  const rows = database.all<{ type: About['type']; message_id: MessageId; account_id: AccountId | ''; ts: number }>(
    'SELECT type, message_id, account_id, ts FROM held_event WHERE chat_id = ? ORDER BY ts',
    chat,
  )
  database.run('DELETE FROM held_event WHERE chat_id = ?', chat)
  return rows.map(({ type, message_id: message, account_id, ts }) => ({
    type,
    message,
    by: account_id || undefined,
    ts,
  }))
}

export function append(core: Core, database: Database, telling: { chat: ChatId; about: About }): void {
  const event = eventOf(core, database, telling)
  if (event) appendEvent(core, database, event)
}

type Telling = { chat: ChatId; about: About }

function eventOf(core: Core, database: Database, { chat, about }: Telling): JournalEvent | undefined {
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

const emojiOf = (database: Database, { message, by }: { message: MessageId; by: AccountId }): string | undefined =>
  database.get<{ emoji: string }>('SELECT emoji FROM reaction WHERE message_id = ? AND account_id = ?', message, by)
    ?.emoji
