// Deleting a message here alone: nobody else notices.
import type { ChatId, MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { countUnread, eraseMessage, findMessage } from '../messages/messages.ts'

export async function deleteHere(
  { store, poke }: Pick<Core, 'store' | 'poke'>,
  chat: ChatId,
  message: MessageId,
): Promise<void> {
  visibleChat(store, chat)
  findMessage(store, chat, message)
  await store.write(database => {
    eraseMessage(database, message, 'here')
    countUnread(database, chat)
  })
  store.eraseTraces()
  poke()
}
