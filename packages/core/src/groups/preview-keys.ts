// The keys that open previews: of the current epoch of each group and of the one before, while the owner wants previews.
import type { GroupId } from '@postern/protocol'
import { wantsPreviews } from '../identity/preview-wish.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

/** A group has moved to another epoch. Its key is derived outside of the transaction: until then it is due. */
export function beginPreviewEpoch(database: Database, group: GroupId, epoch: number): void {
  database.run('DELETE FROM preview_key WHERE group_id = ? AND (epoch < ? OR key IS NULL)', group, epoch - 1)
  if (wantsPreviews(database))
    database.run('INSERT OR REPLACE INTO preview_key (group_id, epoch, key) VALUES (?, ?, NULL)', group, epoch)
}

/** The owner wants previews from now on: the keys of all groups are due. */
export function wantPreviewKeys(database: Database): void {
  database.run(
    `INSERT OR IGNORE INTO preview_key (group_id, epoch, key)
     SELECT id, epoch, NULL FROM mls_group WHERE status <> 'broken'`,
  )
}

/** Deletes the keys of one group, or all keys. SQLite overwrites them. */
export function dropPreviewKeys(database: Database, group?: GroupId): void {
  if (group) database.run('DELETE FROM preview_key WHERE group_id = ?', group)
  else database.run('DELETE FROM preview_key')
}

export const duePreviewKeys = (reads: Pick<Store, 'all'>): GroupId[] =>
  reads.all<{ group_id: GroupId }>('SELECT group_id FROM preview_key WHERE key IS NULL').map(({ group_id }) => group_id)

/** Not kept if the owner wants no previews any more, or if the group has moved on. */
export function savePreviewKey(
  database: Database,
  { group, epoch, key }: { group: GroupId; epoch: number; key: Uint8Array },
): void {
  database.run('UPDATE preview_key SET key = ? WHERE group_id = ? AND epoch = ?', key, group, epoch)
}
