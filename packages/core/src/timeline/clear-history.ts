// Clears the history of a chat, or deletes the chat, on this device alone. One transaction: no caller sees half of it.
import { type ChatId, CodedError } from '@postern/protocol'
import { forgetNotices } from '../chats/notices.ts'
import { type ChatRow, findChat, setUnread, visibleChat } from '../chats/records/chats.ts'
import { hideChat, hideGroup } from '../chats/records/declined-chats.ts'
import type { Core } from '../context.ts'
import { eraseChatMessages } from '../messages/erase-chat.ts'
import type { Database } from '../storage/database.ts'

type Clearing = Pick<Core, 'store' | 'wakeChores'>

/**
 * The chat stays. A send that the relay has not answered yet is not history: it is shown when the relay accepts it.
 * Receipts that are due are still sent: the messages did arrive.
 */
export async function clearHistory(core: Clearing, chat: ChatId): Promise<void> {
  await erasing(core, database => eraseHistory(database, deletableChat(database, chat)))
}

/**
 * Also hides the chat: a private one until the next message, a group until somebody adds this account again. A chore
 * leaves the group as soon as the relay can be reached.
 */
export async function deleteChat(core: Clearing, chat: ChatId): Promise<void> {
  await erasing(core, database => {
    if (findChat(database, chat)?.declined) return
    const row = deletableChat(database, chat)
    eraseHistory(database, row)
    if (row.type === 'group') hideGroup(database, chat)
    else hideChat(database, chat)
  })
}

function deletableChat(database: Database, chat: ChatId): ChatRow {
  const row = visibleChat(database, chat)
  if (row.state === 'request') throw new CodedError('chat-is-request')
  return row
}

function eraseHistory(database: Database, { id }: ChatRow): void {
  eraseChatMessages(database, id)
  forgetNotices(database, id)
  setUnread(database, id, 0)
}

async function erasing({ store, wakeChores }: Clearing, change: (database: Database) => void): Promise<void> {
  await store.write(change)
  store.eraseTraces()
  // The files of the messages are removed by a chore.
  wakeChores()
}
