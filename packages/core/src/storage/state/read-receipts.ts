// Whether this client tells others what its owner has read, and shows what they have read: a record, present while off.
import type { Database } from '../database.ts'

const SHELF = 'client'
const OFF = 'read-receipts-off'

export const hasReadReceipts = (reads: Pick<Database, 'get'>): boolean =>
  reads.get('SELECT 1 FROM record WHERE shelf = ? AND key = ?', SHELF, OFF) === undefined

export function noteReadReceipts(database: Database, choice: 'on' | 'off'): void {
  if (choice === 'on') database.run('DELETE FROM record WHERE shelf = ? AND key = ?', SHELF, OFF)
  else database.run('INSERT OR REPLACE INTO record (shelf, key, value) VALUES (?, ?, ?)', SHELF, OFF, '1')
}
