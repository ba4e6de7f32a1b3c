// Declining a request: what came with it is erased here, and who made it hears nothing of that.
import { type ChatId, CodedError } from '@postern/protocol'
import { forgetNotices } from '../chats/notices.ts'
import { type ChatRow, visibleChat } from '../chats/records/chats.ts'
import { forgetChat, noteDeclined } from '../chats/records/declined-chats.ts'
import { forgetLostGroup } from '../chats/records/lost-groups.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { eraseChatMessages } from '../messages/erase-chat.ts'
import type { Database } from '../storage/database.ts'

/** A group is left by a chore, as soon as the relay can be reached. */
export async function declineRequest(core: Pick<Core, 'store' | 'wakeChores'>, chat: ChatId): Promise<void> {
  await core.store.write(database => {
    // Looked up in the transaction: what was accepted in this moment is a chat, and nothing of it may be erased.
    const row = visibleChat(database, chat)
    if (row.state !== 'request') throw new CodedError('chat-not-request')
    decline(database, row)
  })
  core.store.eraseTraces()
  core.wakeChores()
}

export function decline(database: Database, { id, group_id }: ChatRow): void {
  eraseChatMessages(database, id)
  forgetNotices(database, id)
  if (findGroup(database, group_id)) return noteDeclined(database, id)
  // Somebody whose welcome could not be read: remembered as heard, it would never be shown again.
  forgetLostGroup(database, group_id)
  forgetChat(database, id)
}
