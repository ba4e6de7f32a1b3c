// Sending a text: what is checked before, and what is added by itself.
import type { Message } from '@postern/bot-api/objects'
import type { ChatId } from '@postern/protocol'
import type { Mention } from '@postern/protocol/content'
import { findChat, membersOf } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { profileOf } from '../identity/people.ts'
import { assertButtons } from './buttons.ts'
import { type MessageBody, type Sending, sendMessage } from './send-message.ts'
import { assertMentions, assertText, type NewText } from './text-rules.ts'

type TextSending = Omit<Sending, 'body'> & { text: NewText }

export async function sendText(core: Core, chat: ChatId, { text, ...sending }: TextSending): Promise<Message> {
  assertText(text.text)
  assertMentions(text.text, text.mentions)
  assertButtons(core, text.buttons ?? [])
  return await sendMessage(core, chat, { ...sending, body: () => textBody(core, chat, text) })
}

function textBody(core: Core, chat: ChatId, { text, replyTo, mentions, buttons }: NewText): MessageBody {
  const mentioned = mentions ?? commandMention(core, chat, text)
  return {
    kind: 'text',
    text,
    ...(replyTo && { replyTo }),
    ...(mentioned && { mentions: mentioned }),
    ...(buttons && buttons.length > 0 && { buttons }),
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
