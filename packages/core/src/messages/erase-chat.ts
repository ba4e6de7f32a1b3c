// Erases all messages of a chat, with everything that waits because of them.
import type { BlobId, ChatId } from '@postern/protocol'
import { noteDeadFile } from '../files/file-records.ts'
import { stripChat } from '../journal/event-words.ts'
import type { Database } from '../storage/database.ts'

/**
 * Erased here alone: others keep their copies. One statement for each table: message by message, a chat of twenty
 * thousand would keep every other caller waiting for seconds.
 */
export function eraseChatMessages(database: Database, chat: ChatId): void {
  const files = database.all<{ blob: BlobId }>(
    `SELECT DISTINCT json_extract(body, '$.blob') AS blob FROM message
     WHERE chat_id = ? AND json_extract(body, '$.kind') = 'file'`,
    chat,
  )
  for (const { blob } of files) noteDeadFile(database, blob, 'here')
  database.run('DELETE FROM reaction WHERE message_id IN (SELECT id FROM message WHERE chat_id = ?)', chat)
  database.run('DELETE FROM poll WHERE message_id IN (SELECT id FROM message WHERE chat_id = ?)', chat)
  database.run('DELETE FROM vote WHERE message_id IN (SELECT id FROM message WHERE chat_id = ?)', chat)
  database.run('DELETE FROM offered_data WHERE message_id IN (SELECT id FROM message WHERE chat_id = ?)', chat)
  database.run('DELETE FROM message WHERE chat_id = ?', chat)
  database.run('DELETE FROM held_event WHERE chat_id = ?', chat)
  stripChat(database, chat)
}
