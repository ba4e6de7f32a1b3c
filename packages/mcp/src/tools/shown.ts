// Messages and updates as agents read them: every text of a person is marked.
import type { Message, Update } from '@postern/bot-api'
import { untrustedText, visibleName } from '../untrusted.ts'

const person = ({ id, name }: { id: string; name: string }) => ({ id, name: visibleName(name) })

export function shownMessage(message: Message): object {
  const { id, from, ts, text, reply_to: replyTo, file, poll, edited_ts: editedTs } = message
  return {
    id,
    from: person(from),
    ts,
    ...(replyTo !== undefined && { reply_to: replyTo }),
    ...(editedTs !== undefined && { edited_ts: editedTs }),
    ...(file && { file: { kind: file.kind, size: file.size, name: untrustedText(from.name, file.name) } }),
    ...(poll && {
      poll: {
        closed: poll.closed,
        question: untrustedText(from.name, poll.question),
        options: poll.options.map(({ text: option, votes }) => ({ votes, text: untrustedText(from.name, option) })),
      },
    }),
    ...(text !== undefined && { text: untrustedText(from.name, text) }),
  }
}

/** Undefined for those that tell an agent nothing. */
export function shownUpdate(update: Update): object | undefined {
  const head = { id: update.id, type: update.type, chat: update.chat_id }
  switch (update.type) {
    case 'message':
    case 'edited':
    case 'poll':
      return { ...head, message: shownMessage(update.message) }
    case 'reaction': {
      const { message_id, from, emoji } = update.reaction
      return { ...head, message_id, from: person(from), emoji: visibleName(emoji) }
    }
    case 'button': {
      const { message_id, from, data } = update.button
      return { ...head, message_id, from: person(from), data }
    }
    case 'deleted':
      return { ...head, message_id: update.deleted.message_id, from: person(update.deleted.from) }
    case 'expired':
      return { ...head, message_ids: update.expired }
    case 'chat':
    case 'notice':
    case 'delivered':
    case 'read':
    case 'join_request':
      return undefined
  }
}
