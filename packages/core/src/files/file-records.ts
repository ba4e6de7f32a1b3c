// The records of blobs: uploads that no message names yet, and files of erased messages.
import type { BlobId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'

/** Its message is erased. `everywhere`: the relay deletes it, too. */
export function noteDeadFile(database: Database, blob: BlobId, where: 'here' | 'everywhere'): void {
  database.run(
    'INSERT INTO dead_file VALUES (?, ?) ON CONFLICT DO UPDATE SET own = max(own, excluded.own)',
    blob,
    where === 'everywhere' ? 1 : 0,
  )
}

/** From here on the blob belongs to a message in the log: until now nobody would have missed it. */
export function noteFileSent(database: Database, blob: BlobId): void {
  database.run('DELETE FROM upload WHERE blob_id = ?', blob)
}
