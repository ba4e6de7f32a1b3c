// Sending a text: what is checked before, what is added by itself, and the key under which it is sent once.
import {
  type AccountId,
  type ChatId,
  CodedError,
  charCount,
  contentLimits,
  isAccountId,
  type MessageId,
} from '@postern/protocol'
import type { KnownBody, Mention } from '@postern/protocol/content'
import type { Message } from '@postern/protocol/objects'
import { findChat, membersOf } from '../chats/chats.ts'
import { ensurePrivateChat } from '../chats/open-chat.ts'
import type { Idempotency } from '../chats/sent-keys.ts'
import type { Core } from '../context.ts'
import type { Deadline } from '../deadline.ts'
import { findGroup } from '../groups/group-records.ts'
import { profileOf } from '../identity/people.ts'
import { newDraft } from './compose.ts'
import { findEarlier } from './idempotency.ts'
import { viewMessage } from './messages.ts'
import { sendDraft } from './send.ts'

export type NewText = { text: string; replyTo?: MessageId; mentions?: Mention[] }

type Sending = { text: NewText; deadline: Deadline; idempotency?: Idempotency }

export async function sendText(core: Core, chat: ChatId, { text, deadline, idempotency }: Sending): Promise<Message> {
  assertText(text.text)
  if (idempotency) await core.link.whenOnline(deadline.leftMs())
  const earlier = idempotency && (await findEarlier(core, chat, idempotency))
  if (earlier?.kind === 'sent') return earlier.message
  if (isAccountId(chat)) await ensureOpen(core, chat, deadline)
  assertReply(core, chat, text.replyTo)
  const draft = newDraft(core, textBody(core, chat, text))
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
  if (known?.state === 'request')
    throw new CodedError(known.visible ? 'chat-is-request' : 'chat-not-found', { chat: account })
  await ensurePrivateChat(core, { account }, deadline)
}

function textBody(core: Core, chat: ChatId, text: NewText): Extract<KnownBody, { kind: 'text' }> {
  const mentions = text.mentions ?? commandMention(core, chat, text.text)
  const timerMs = findChat(core.store, chat)?.timer_ms ?? 0
  return {
    kind: 'text',
    text: text.text,
    ...(text.replyTo && { replyTo: text.replyTo }),
    ...(mentions && { mentions }),
    ...(timerMs > 0 && { timerMs }),
  }
}

/** A command in a group is for one bot: the only one there, or the one that is named behind an @. */
function commandMention(core: Core, chat: ChatId, text: string): Mention[] | undefined {
  const command = /^\/[a-z0-9_]+(?:@(\S+))?/.exec(text)
  if (!command || findChat(core.store, chat)?.type !== 'group') return undefined
  const bots = membersOf(core.store, chat)
    .map(member => profileOf(core.store, member.account_id))
    .filter(profile => profile.bot && profile.id !== core.own.id)
  const named = command[1] === undefined ? bots : bots.filter(bot => bot.name === command[1])
  const [bot, ...others] = named
  return bot && others.length === 0 ? [{ user: bot.id, offset: 0, length: command[0].length }] : undefined
}

function assertReply(core: Core, chat: ChatId, replyTo: MessageId | undefined): void {
  if (!replyTo) return
  const isThere = core.store.get('SELECT 1 FROM message WHERE id = ? AND chat_id = ?', replyTo, chat) !== undefined
  if (!isThere) throw new CodedError('bad-field', { field: 'reply_to', rule: 'there is no such message in this chat' })
}

export function assertText(text: string): void {
  const count = charCount(text)
  if (count < 1 || count > contentLimits.textCharsMax)
    throw new CodedError('bad-field', {
      field: 'text',
      rule: `1 to ${contentLimits.textCharsMax} characters are allowed`,
    })
}
