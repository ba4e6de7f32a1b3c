// Removes the blobs and files that no message refers to.
// They are found in the database, so that a kill leaves none behind.
import { type BlobId, clientLimits, isCoded } from '@postern/protocol'
import type { FilesContext } from './files-context.ts'

/** Uploads that are not in use here and that no message in the outbox names: they were cut off, or given up. */
async function sweepUploads(parts: FilesContext): Promise<number> {
  const rows = parts.store.all<{ blob_id: BlobId }>('SELECT blob_id FROM upload')
  const waiting = rows.length > 0 ? new Set(parts.waitingBlobs()) : undefined
  const isKept = (blob: BlobId) => parts.inHand.has(blob) || waiting?.has(blob)
  const leftovers = rows.filter(row => !isKept(row.blob_id)).slice(0, clientLimits.fileLeftoversPerRound)
  for (const { blob_id: blob } of leftovers) {
    await parts.vault.remove(blob)
    await deleteAtRelay(parts, blob)
    await parts.store.write(database => database.run('DELETE FROM upload WHERE blob_id = ?', blob))
  }
  return leftovers.length
}

/** Files of messages that were erased; the relay deletes them for their owner only. */
async function sweepDead(parts: FilesContext): Promise<number> {
  const rows = parts.store.all<{ blob_id: BlobId; own: number }>(
    'SELECT blob_id, own FROM dead_file LIMIT 0 + ?',
    clientLimits.fileLeftoversPerRound,
  )
  for (const { blob_id: blob, own } of rows) {
    await parts.vault.remove(blob)
    if (own === 1) await deleteAtRelay(parts, blob)
    await parts.store.write(database => database.run('DELETE FROM dead_file WHERE blob_id = ?', blob))
  }
  return rows.length
}

export async function sweepFiles(parts: FilesContext): Promise<void> {
  await parts.vault.makeRoom()
  const cleared = [await sweepUploads(parts), await sweepDead(parts)]
  if (cleared.includes(clientLimits.fileLeftoversPerRound)) parts.wakeChores()
}

async function deleteAtRelay({ link }: FilesContext, blob: BlobId): Promise<void> {
  try {
    await link.call('deleteBlob', { blob })
  } catch (error) {
    if (!isCoded(error, 'blob-unknown')) throw error
  }
}
