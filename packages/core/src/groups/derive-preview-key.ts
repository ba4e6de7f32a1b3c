// Derives the key of a group's epoch that seals and opens previews.
import { exportSecret } from '@postern/mls'
import { type GroupId, groupIdToBytes } from '@postern/protocol'
import { PREVIEW_LABEL } from '@postern/protocol/preview'
import type { Database } from '../storage/database.ts'
import { epochOf, type GroupSessions, type LiveGroup } from './group-sessions.ts'
import { savePreviewKey } from './preview-keys.ts'

export const previewKey = async ({ id, session }: LiveGroup): Promise<Uint8Array> =>
  await exportSecret(session, { label: PREVIEW_LABEL, context: groupIdToBytes(id) })

/** Lost with a kill, the key is still due. */
export async function derivePreviewKey({ groups }: { groups: GroupSessions }, group: GroupId): Promise<void> {
  await groups.run(group, async live => {
    const made = { group, epoch: epochOf(live), key: await previewKey(live) }
    await groups.save(live, (database: Database) => savePreviewKey(database, made), 'deferred')
  })
}
