// Accepting a request: what was kept while it waited is reported now, in order.
import { type ChatId, CodedError } from '@postern/protocol'
import { type ChatRow, setChatState, visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import { markReported, unreportedMessages } from './messages.ts'
import { viewMessage } from './view-message.ts'

/** Accepting what is accepted already changes nothing. */
export async function acceptRequest(core: Core, chat: ChatId): Promise<ChatRow> {
  if (visibleChat(core.store, chat).state === 'active') return visibleChat(core.store, chat)
  await core.store.write(database => {
    // Looked at here: who is put out of a group in this moment would find it active, and could say nothing in it.
    const { state } = visibleChat(database, chat)
    if (state === 'left') throw new CodedError('chat-left')
    if (state === 'active') return
    setChatState(database, chat, 'active')
    reportUnreported(core, database, chat)
  })
  core.poke()
  return visibleChat(core.store, chat)
}

export function reportUnreported(core: Core, database: Database, chat: ChatId): void {
  for (const row of unreportedMessages(database, chat)) {
    const message = viewMessage(database, row, core.own.id)
    appendEvent(core, database, { type: 'message', chat_id: chat, message })
    markReported(database, row.id)
  }
}
