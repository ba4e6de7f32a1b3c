// Deletes a message here alone: nobody else notices.
import type { ChatId, MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { countUnread, eraseMessage, findMessage } from '../messages/messages.ts'
import { findKey, type Idempotency, noteKey } from '../storage/state/idempotency-keys.ts'

type Deletion = { message: MessageId; idempotency?: Idempotency }

/** A key that was used before means that it is done: the message need not exist. */
export async function deleteHere(
  { store, elapsed, wakeChores }: Pick<Core, 'store' | 'elapsed' | 'wakeChores'>,
  chat: ChatId,
  { message, idempotency }: Deletion,
): Promise<void> {
  visibleChat(store, chat)
  if (idempotency && findKey({ store, elapsed }, idempotency)) return
  findMessage(store, chat, message)
  await store.write(database => {
    eraseMessage(database, message, 'here')
    countUnread(database, chat)
    if (idempotency) noteKey(database, idempotency, { subject: chat, nowMs: elapsed.nowMs() })
  })
  store.eraseTraces()
  wakeChores()
}
