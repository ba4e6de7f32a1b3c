// All messages of a chat, erased with everything that waits because of them.
import type { ChatId, MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import { eraseMessage } from './messages.ts'
import { forgetReceipts } from './receipts-due.ts'

/** Here alone: whoever else has them keeps them. */
export function eraseChatMessages(database: Database, chat: ChatId): void {
  const rows = database.all<{ id: MessageId }>('SELECT id FROM message WHERE chat_id = ?', chat)
  for (const { id } of rows) eraseMessage(database, id, 'here')
  database.run('DELETE FROM held_event WHERE chat_id = ?', chat)
  forgetReceipts(database, chat)
}
