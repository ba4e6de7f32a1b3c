// Decides whether content may wake people who are away. The relay learns this, and nothing else, of each message.
import { type ChatId, isAccountId } from '@postern/protocol'
import type { KnownBody, Mention } from '@postern/protocol/content'
import { isMember } from '../chats/records/chats.ts'
import { profileOf } from '../identity/people.ts'
import type { EntryMark } from '../relay-link/append-marked.ts'
import type { ValidateContext } from './kind.ts'

/**
 * `mention` also reaches members who have muted the chat. It holds for all members of a group alike: the relay does not
 * learn who is mentioned.
 */
export function attentionOf(core: ValidateContext, chat: ChatId, body: KnownBody): EntryMark['attention'] {
  switch (body.kind) {
    case 'text':
    case 'file':
    case 'poll':
      if (body.silent) return 'none'
      return mentionsPeople(core, chat, body.mentions) ? 'mention' : 'message'
    case 'call':
      return body.state === 'ringing' ? 'message' : 'none'
    case 'join-ask':
      return 'message'
    case 'vote':
    case 'close':
    case 'press':
    case 'toast':
    case 'edit':
    case 'delete':
    case 'reaction':
    case 'receipt':
    case 'hello':
    case 'leave':
    case 'rejoin':
    case 'compare':
    case 'join-answer':
      return 'none'
  }
}

/** Commands mention the bot that they are for, and bots have no notifications. */
const mentionsPeople = ({ store, own }: ValidateContext, chat: ChatId, mentions: Mention[] = []): boolean =>
  !isAccountId(chat) &&
  mentions.some(({ user }) => user !== own.id && isMember(store, chat, user) && !profileOf(store, user).bot)
