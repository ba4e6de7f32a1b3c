// Events about messages of a request, held until the chat is accepted.
import type { AccountId, ChatId, MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import { lookUpMessage } from './messages.ts'

/** An event about a message. `by` is the account that caused it; undefined if a timer did. */
export type AboutMessage = {
  type: 'edited' | 'poll' | 'reaction' | 'deleted' | 'expired'
  message: MessageId
  by: AccountId | undefined
  ts: number
}

/**
 * Notes only that it happened, once per message and person; the content is looked up when it is reported. So a stranger
 * that edits for hours causes one more event, and no text is kept that was deleted since.
 */
export function holdEvent(database: Database, chat: ChatId, { type, message, by, ts }: AboutMessage): void {
  // Not before the message itself: a stranger's poll may have been over before it was asked.
  const heldTs = Math.max(ts, lookUpMessage(database, chat, message)?.ts ?? 0)
  database.run('INSERT OR REPLACE INTO held_event VALUES (?, ?, ?, ?, ?)', chat, type, message, by ?? '', heldTs)
}

/** Returns the held events in the order of their times, and removes them. */
export function releaseHeld(database: Database, chat: ChatId): AboutMessage[] {
  const rows = database.all<{
    type: AboutMessage['type']
    message_id: MessageId
    account_id: AccountId | ''
    ts: number
  }>('SELECT type, message_id, account_id, ts FROM held_event WHERE chat_id = ? ORDER BY ts', chat)
  database.run('DELETE FROM held_event WHERE chat_id = ?', chat)
  return rows.map(({ type, message_id: message, account_id, ts }) => ({
    type,
    message,
    by: account_id || undefined,
    ts,
  }))
}
