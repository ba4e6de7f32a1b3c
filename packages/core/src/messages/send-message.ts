// What sending has in common, whatever the message is: it is checked, its chat is opened, a key sends once, the relay has it then.
import type { Message } from '@postern/bot-api/objects'
import { type AccountId, type ChatId, CodedError, type Deadline, isAccountId, type MessageId } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { findChat, showChat } from '../chats/chats.ts'
import { ensurePrivateChat } from '../chats/open-chat.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import type { Database } from '../storage/database.ts'
import type { Idempotency } from '../storage/sent-keys.ts'
import { assertSayable, newDraft } from './compose.ts'
import { findEarlier } from './idempotency.ts'
import { sendDraft } from './send.ts'
import { viewMessage } from './view-message.ts'

export type MessageBody = Extract<KnownBody, { kind: 'text' | 'file' | 'poll' }>

/** The body is made once it is clear that it was not sent before: what is repeated under its key may be too late by now. */
export type Sending = { body: () => MessageBody; deadline: Deadline; idempotency?: Idempotency }

export async function sendMessage(
  core: Core,
  chat: ChatId,
  { body: makeBody, deadline, idempotency }: Sending,
): Promise<Message> {
  if (idempotency) await core.link.whenOnline(deadline.leftMs())
  const earlier = idempotency && (await findEarlier(core, chat, { given: idempotency, deadline }))
  if (earlier?.kind === 'sent') return earlier.message
  const body = makeBody()
  // Before the chat is opened: what is refused must not have met anybody, and used up one of the day's new people.
  assertReply(core, chat, body.replyTo)
  assertSayable(core, body)
  if (isAccountId(chat)) await ensureOpen(core, chat, deadline)
  const draft = newDraft(core, { ...body, ...timerOf(core, chat) })
  const row = await sendDraft(core, chat, {
    draft: { ...draft, ...(earlier && { send: earlier.send }), ...(idempotency && { idempotency }) },
    deadline,
  })
  if (!row) throw new CodedError('internal')
  return viewMessage(core.store, row, core.own.id)
}

async function ensureOpen(core: Core, account: AccountId & ChatId, deadline: Deadline): Promise<void> {
  const known = findChat(core.store, account)
  const isOpen = known?.state === 'active' && findGroup(core.store, known.group_id)?.status === 'open'
  if (isOpen) return
  // A request waits for a decision: writing to it must not open another chat past it.
  if (known?.state === 'request' && known.visible) throw new CodedError('chat-is-request', { chat: account })
  await ensurePrivateChat(core, { account }, deadline)
  if (known?.state === 'request') await core.store.write(database => decideFirst(core, database, account))
}

/** In a chat in which only the clients have spoken so far who writes first has decided, unless the other was faster. */
function decideFirst(core: Core, database: Database, chat: ChatId): void {
  const row = findChat(database, chat)
  if (row?.state !== 'request') return
  // Let in by this, its messages from before would never be reported.
  if (row.visible) throw new CodedError('chat-is-request', { chat })
  showChat(database, chat, { state: 'active', ts: core.clock.nowMs() })
}

function timerOf(core: Core, chat: ChatId): { timerMs?: number } {
  const timerMs = findChat(core.store, chat)?.timer_ms ?? 0
  return timerMs > 0 ? { timerMs } : {}
}

export function assertReply(core: Core, chat: ChatId, replyTo: MessageId | undefined): void {
  if (!replyTo) return
  const isThere = core.store.get('SELECT 1 FROM message WHERE id = ? AND chat_id = ?', replyTo, chat) !== undefined
  if (!isThere) throw new CodedError('bad-field', { field: 'reply_to', rule: 'there is no such message in this chat' })
}
