// Which of the actions a message allows, from values alone.
import { contentLimits } from '@postern/protocol'
import type { ChatDetail, Message } from '../../contract/objects.ts'

export const quickReactions = ['👍', '❤️', '😂', '😮', '😢', '🙏'] as const

export type AllowedActions = {
  react: boolean
  reply: boolean
  copy: boolean
  forward: boolean
  edit: boolean
  eraseForAll: boolean
}

type ActionContext = { chat: Pick<ChatDetail, 'state'>; me: string; nowMs: number }

/** Nothing can be written in a request, or in a group that was left. */
export function allowedFor(message: Message, { chat, me, nowMs }: ActionContext): AllowedActions {
  const canWrite = chat.state === 'active'
  const isOwn = message.from.id === me
  const isText = message.text !== undefined && !message.poll
  return {
    react: canWrite,
    reply: canWrite,
    copy: Boolean(message.text),
    // A poll lives in its chat: its votes would not come along.
    forward: !message.poll && (message.text !== undefined || message.file !== undefined) && chat.state !== 'request',
    edit: canWrite && isOwn && isText && nowMs - message.ts < contentLimits.editableMs,
    eraseForAll: canWrite && isOwn,
  }
}

/** The message that ↑ in an empty field edits. */
export const lastEditable = (messages: Iterable<Message>, around: ActionContext): Message | undefined =>
  [...messages].filter(message => allowedFor(message, around).edit).toSorted((one, other) => other.ts - one.ts)[0]
