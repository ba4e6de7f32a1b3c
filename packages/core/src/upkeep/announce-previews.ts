// Announces whether the owner wants previews: immediately to recent chats, to everyone else with the next message.
import { clientLimits } from '@postern/protocol'
import { wantHelloNow, wantHellos } from '../groups/group-records.ts'
import { dropPreviewKeys, wantPreviewKeys } from '../groups/preview-keys.ts'
import { notePreviewWish } from '../identity/preview-wish.ts'
import { groupsSpokenInLately } from '../messages/messages.ts'
import type { Database } from '../storage/database.ts'

/** Without previews there is no key either. */
export function announcePreviews(database: Database, wanted: boolean): void {
  if (!notePreviewWish(database, wanted)) return
  wantHellos(database)
  wantHelloNow(database, groupsSpokenInLately(database, clientLimits.previewsToldChatsMax))
  if (wanted) wantPreviewKeys(database)
  else dropPreviewKeys(database)
}
