// The data of buttons that a message had before an edit: a press that crossed the edit is still accepted.
import { clientLimits, type MessageId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'

export function keepOffered(
  database: Database,
  { message, data, ts }: { message: MessageId; data: string[]; ts: number },
): void {
  for (const one of data) database.run('INSERT OR REPLACE INTO offered_data VALUES (?, ?, ?)', message, one, ts)
  database.run(
    `DELETE FROM offered_data WHERE message_id = ? AND data NOT IN (
       SELECT data FROM offered_data WHERE message_id = ? ORDER BY ts DESC LIMIT 0 + ?)`,
    message,
    message,
    clientLimits.offeredDataKept,
  )
}

export const wasOffered = (reads: Pick<Database, 'get'>, message: MessageId, data: string): boolean =>
  reads.get('SELECT 1 FROM offered_data WHERE message_id = ? AND data = ?', message, data) !== undefined
