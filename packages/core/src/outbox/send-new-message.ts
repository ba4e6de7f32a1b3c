// The common part of sending any message: it is checked,
// its chat is opened, a key sends once, and the relay has it in the end.
import type { Message } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, CodedError, type Deadline, isAccountId, type MessageId } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { ensurePrivateChat } from '../chats/opening/open-chat.ts'
import { findChat, showChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { lookUpMessage } from '../messages/messages.ts'
import type { Database } from '../storage/database.ts'
import { viewNewMessage } from '../timeline/view-message.ts'
import type { SendRequest } from './ask.ts'
import { assertSayable, newDraft } from './compose.ts'
import { findEarlier } from './idempotency.ts'
import { sendContent } from './send-content.ts'

type MessageBody = Extract<KnownBody, { kind: 'text' | 'file' | 'poll' }>

export async function sendNewMessage<Asked>(
  core: Core,
  chat: ChatId,
  { kind, asked, deadline, idempotency, token }: SendRequest<Asked, MessageBody>,
): Promise<Message> {
  kind.check(core, chat, asked)
  if (idempotency) await core.link.whenOnline(deadline.leftMs())
  const earlier = idempotency && (await findEarlier(core, chat, { given: idempotency, deadline }))
  if (earlier?.kind === 'sent') return earlier.message
  const body = kind.body(core, chat, asked)
  assertReply(core, chat, body.replyTo)
  if (isAccountId(chat) && !isOpen(core, chat)) {
    // A message that is refused must not open a chat and use up one of the day's new people.
    assertSayable(core, body)
    await openFirst(core, chat, deadline)
  }
  const draft = newDraft(core, body, token)
  const row = await sendContent(core, chat, {
    draft: {
      ...draft,
      send: earlier?.send ?? idempotency?.send ?? draft.send,
      body: () => bodyNow(core, chat, { kind, asked }),
      ...(idempotency && { idempotency }),
    },
    deadline,
  })
  if (!row) throw new CodedError('internal')
  return viewNewMessage(core.store, row, core.own.id)
}

function isOpen({ store }: Pick<Core, 'store'>, account: AccountId & ChatId): boolean {
  const known = findChat(store, account)
  return known?.state === 'active' && findGroup(store, known.group_id)?.status === 'open'
}

async function openFirst(core: Core, account: AccountId & ChatId, deadline: Deadline): Promise<void> {
  const known = findChat(core.store, account)
  // A request waits for a decision: writing to it must not open another chat beside it.
  if (known?.state === 'request' && known.visible) throw new CodedError('chat-is-request', { chat: account })
  await ensurePrivateChat(core, { account }, deadline)
  if (known?.state === 'request') await core.store.write(database => decideFirst(core, database, account))
}

/**
 * In a chat in which only the clients have spoken,
 * the person that writes first accepts the other, unless the other wrote first.
 */
function decideFirst({ clock }: Pick<Core, 'clock'>, database: Database, chat: ChatId): void {
  const row = findChat(database, chat)
  if (row?.state !== 'request') return
  // Accepted by this, its earlier messages would never be reported.
  if (row.visible) throw new CodedError('chat-is-request', { chat })
  showChat(database, chat, { state: 'active', ts: clock.nowMs() })
}

/** With the timer, the members and the messages that the chat has now. */
function bodyNow<Asked>(
  core: Core,
  chat: ChatId,
  { kind, asked }: Pick<SendRequest<Asked, MessageBody>, 'kind' | 'asked'>,
): MessageBody {
  const body = kind.body(core, chat, asked)
  assertReply(core, chat, body.replyTo)
  const timerMs = findChat(core.store, chat)?.timer_ms ?? 0
  return timerMs > 0 ? { ...body, timerMs } : body
}

export function assertReply({ store }: Pick<Core, 'store'>, chat: ChatId, replyTo: MessageId | undefined): void {
  if (!replyTo) return
  if (!lookUpMessage(store, chat, replyTo))
    throw new CodedError('bad-field', { field: 'reply_to', rule: 'must be the id of a message in this chat' })
}
