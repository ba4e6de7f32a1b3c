// Declines a request: erases what came with it here. Its maker is not notified.
import { type ChatId, CodedError } from '@postern/protocol'
import { forgetNotices } from '../chats/notices.ts'
import { type ChatRow, visibleChat } from '../chats/records/chats.ts'
import { forgetChat, hideChat } from '../chats/records/declined-chats.ts'
import { forgetLostGroup } from '../chats/records/lost-groups.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { eraseChatMessages } from '../messages/erase-chat.ts'
import { forgetReceipts } from '../messages/receipts-due.ts'
import type { Database } from '../storage/database.ts'

/** A chore leaves the group as soon as the relay can be reached. */
export async function declineRequest(core: Pick<Core, 'store' | 'wakeChores'>, chat: ChatId): Promise<void> {
  await core.store.write(database => {
    // Looked up in the transaction:
    // a request that was accepted at this moment is a chat, and nothing of it may be erased.
    const row = visibleChat(database, chat)
    if (row.state !== 'request') throw new CodedError('chat-not-request')
    decline(database, row)
  })
  core.store.eraseTraces()
  core.wakeChores()
}

export function decline(database: Database, { id, group_id }: ChatRow): void {
  eraseChatMessages(database, id)
  forgetReceipts(database, id)
  forgetNotices(database, id)
  if (findGroup(database, group_id)) return hideChat(database, id)
  // A speaker whose welcome could not be read: if it stayed noted, it would never be shown again.
  forgetLostGroup(database, group_id)
  forgetChat(database, id)
}
