// What is said about messages of a request: held back until the chat is let in.
import type { AccountId, ChatId, MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import { lookUpMessage } from './messages.ts'

/** Something that is said about a message. `by` is who did it; nobody, when the time did. */
export type AboutMessage = {
  type: 'edited' | 'poll' | 'reaction' | 'deleted' | 'expired'
  message: MessageId
  by: AccountId | undefined
  ts: number
}

/**
 * Only that it happened, once for each message and person: what it comes to is looked up when it is told. So a stranger
 * who edits for hours has one more event for it, and no words are kept that were deleted since.
 */
export function holdEvent(database: Database, chat: ChatId, { type, message, by, ts }: AboutMessage): void {
  // Not before the message itself: a stranger's poll may have been over before it was asked.
  const heldTs = Math.max(ts, lookUpMessage(database, chat, message)?.ts ?? 0)
  database.run('INSERT OR REPLACE INTO held_event VALUES (?, ?, ?, ?, ?)', chat, type, message, by ?? '', heldTs)
}

/** What was held back, in the order of its times; it is held no longer. */
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
