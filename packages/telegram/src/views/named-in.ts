// The messages and people that an update names, so that those of a whole page get their numbers together.
import type { Notice, Update } from '@postern/bot-api'
import type { ChatId, MessageId } from '@postern/protocol'

/** `answered`: the message that the update's own one answers, which may be gone. */
export type NamedIds = { chat: ChatId; people: string[]; messages: string[]; answered?: MessageId | undefined }

/** The notices that Telegram has, too. */
const SHOWN = new Set<Notice['code']>(['created', 'joined', 'left', 'removed', 'renamed'])

/** The rest gets its numbers when the update is shown. */
export function namedIn(update: Update): NamedIds[] {
  const { chat_id: chat } = update
  switch (update.type) {
    case 'message':
    case 'edited': {
      const { id, from, mentions = [], reply_to: answered } = update.message
      return [{ chat, people: [from.id, ...mentions.map(({ user }) => user)], messages: [id], answered }]
    }
    case 'button':
      return [{ chat, people: [update.button.from.id], messages: [update.button.message_id] }]
    case 'reaction':
      return [{ chat, people: [update.reaction.from.id], messages: [update.reaction.message_id] }]
    case 'chat':
      return [{ chat, people: [], messages: [] }]
    case 'notice': {
      const { notice } = update
      if (!SHOWN.has(notice.code)) return []
      const people = 'members' in notice ? (notice.members ?? []).map(({ id }) => id) : []
      return [{ chat, people, messages: [`notice ${update.id}`] }]
    }
    case 'poll':
    case 'deleted':
    case 'expired':
    case 'delivered':
    case 'read':
    case 'join_request':
      return []
  }
}
