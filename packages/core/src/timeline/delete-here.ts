// Deleting a message here alone: nobody else notices.
import type { ChatId, MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { countUnread, eraseMessage, findMessage } from '../messages/messages.ts'
import { findKey, type Idempotency, noteKey } from '../storage/sent-keys.ts'

type Deletion = { message: MessageId; idempotency?: Idempotency }

/** Under a key that was used before it is done, and the message need not be there. */
export async function deleteHere(
  { store, passed, poke }: Pick<Core, 'store' | 'passed' | 'poke'>,
  chat: ChatId,
  { message, idempotency }: Deletion,
): Promise<void> {
  visibleChat(store, chat)
  if (idempotency && findKey({ store, passed }, idempotency)) return
  findMessage(store, chat, message)
  await store.write(database => {
    eraseMessage(database, message, 'here')
    countUnread(database, chat)
    if (idempotency) noteKey(database, idempotency, { subject: chat, nowMs: passed.nowMs() })
  })
  store.eraseTraces()
  poke()
}
