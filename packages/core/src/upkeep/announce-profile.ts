// Announces a new name or picture: immediately to recent chats, to everyone else with the next message.
import { clientLimits } from '@postern/protocol'
import { wantHelloNow, wantHellos } from '../groups/group-records.ts'
import { groupsSpokenInLately } from '../messages/messages.ts'
import type { Database } from '../storage/database.ts'

export function announceProfile(database: Database): void {
  wantHellos(database)
  wantHelloNow(database, groupsSpokenInLately(database, clientLimits.profileToldChatsMax))
}
