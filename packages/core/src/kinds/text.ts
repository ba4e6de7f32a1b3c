// A text message: its checks, and the mention that is added automatically.
import { type ChatId, fittingEntities } from '@postern/protocol'
import type { Mention } from '@postern/protocol/content'
import { findChat, membersOf } from '../chats/records/chats.ts'
import { profileOf } from '../identity/people.ts'
import { assertButtons } from './buttons.ts'
import type { Kind, ValidateContext } from './kind.ts'
import { applyMessage } from './new-message.ts'
import { viewStart } from './start.ts'
import { assertSpans, assertText, type NewText, viewWords } from './text-rules.ts'

export const text = {
  way: 'in the chat',
  check: (core, _chat, asked) => {
    assertText(asked.text)
    assertSpans(asked.text, asked)
    assertButtons(core, asked.buttons ?? [])
  },
  body: (core, chat, { text: words, replyTo, mentions, entities, buttons, silent, forwarded, ...others }) => {
    // A field of a new message that is not passed on does not compile.
    others satisfies Record<string, never>
    const mentioned = mentions ?? commandMention(core, chat, words)
    return {
      kind: 'text',
      text: words,
      ...(replyTo && { replyTo }),
      ...(mentioned && { mentions: mentioned }),
      ...(entities && entities.length > 0 && { entities: fittingEntities(words, entities) }),
      ...(buttons && buttons.length > 0 && { buttons }),
      ...(silent && { silent }),
      ...(forwarded && { forwarded }),
    }
  },
  apply: applyMessage,
  view: (_around, _row, body) => ({ ...viewWords(body), ...viewStart(body) }),
} satisfies Kind<'text', NewText>

/** A command in a group is for one bot: the only one there, or the one named after an @. */
function commandMention({ store, own }: ValidateContext, chat: ChatId, words: string): Mention[] | undefined {
  const command = /^\/[a-z0-9_]+(?:@(\S+))?/.exec(words)
  if (!command || findChat(store, chat)?.type !== 'group') return undefined
  const bots = membersOf(store, chat)
    .map(member => profileOf(store, member.account_id))
    .filter(profile => profile.bot && profile.id !== own.id)
  const named = command[1] === undefined ? bots : bots.filter(bot => bot.name === command[1])
  const [bot, ...others] = named
  return bot && others.length === 0 ? [{ user: bot.id, offset: 0, length: command[0].length }] : undefined
}
