// Clears away the blobs and files that no message refers to: found in the database, so that a kill leaves none behind.
import { type BlobId, isCoded } from '@postern/protocol'
import type { FilesParts } from './files-parts.ts'

const LEFTOVERS_PER_ROUND = 100

/** Uploads that nobody here has in hand and no message in the outbox names: they were cut off, or given up. */
async function tidyUploads(parts: FilesParts): Promise<number> {
  const rows = parts.store.all<{ blob_id: BlobId }>(
    `SELECT blob_id FROM upload
     WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE json_extract(outbox.body, '$.blob') = upload.blob_id)`,
  )
  const leftovers = rows.filter(row => !parts.inHand.has(row.blob_id)).slice(0, LEFTOVERS_PER_ROUND)
  for (const { blob_id: blob } of leftovers) {
    await parts.vault.remove(blob)
    await deleteAtRelay(parts, blob)
    await parts.store.write(database => database.run('DELETE FROM upload WHERE blob_id = ?', blob))
  }
  return leftovers.length
}

/** Files of messages that were erased; the relay deletes them for their owner only. */
async function tidyDead(parts: FilesParts): Promise<number> {
  const rows = parts.store.all<{ blob_id: BlobId; own: number }>(
    'SELECT blob_id, own FROM dead_file LIMIT ?',
    LEFTOVERS_PER_ROUND,
  )
  for (const { blob_id: blob, own } of rows) {
    await parts.vault.remove(blob)
    if (own === 1) await deleteAtRelay(parts, blob)
    await parts.store.write(database => database.run('DELETE FROM dead_file WHERE blob_id = ?', blob))
  }
  return rows.length
}

export async function tidyFiles(parts: FilesParts): Promise<void> {
  await parts.vault.makeRoom()
  const cleared = [await tidyUploads(parts), await tidyDead(parts)]
  if (cleared.includes(LEFTOVERS_PER_ROUND)) parts.poke()
}

async function deleteAtRelay({ link }: FilesParts, blob: BlobId): Promise<void> {
  try {
    await link.call('deleteBlob', { blob })
  } catch (error) {
    if (!isCoded(error, 'blob-unknown')) throw error
  }
}
