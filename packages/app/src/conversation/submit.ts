// What leaves the field: it is emptied at once, and the message stands in the outgoing row as soon as the queue has it.
import { call } from '../link/link.ts'
import { attempt } from '../parts/attempt.ts'
import type { Talk } from './talk.ts'
import type { Submission } from './writing/composer-state.ts'
import { mentionsIn } from './writing/mentions.ts'

export async function submitField(talk: Talk): Promise<void> {
  const submission = talk.compose.submit(talk.chat.peek())
  if (!submission) return
  if (submission.kind === 'send') showEnd(talk)
  const done = await attempt(callOf(talk.chat.peek().id, submission))
  if (!done) talk.compose.giveBack(submission)
}

/** A command that needs nothing more. */
export async function sendText(talk: Talk, text: string): Promise<void> {
  const chat = talk.chat.peek()
  showEnd(talk)
  await attempt(callOf(chat.id, { kind: 'send', text, mentions: mentionsIn(text, chat, new Map()) }))
}

function callOf(chat: string, submission: Submission): Promise<void> {
  const { text } = submission
  const mentions = submission.mentions.length > 0 && { mentions: submission.mentions }
  if (submission.kind === 'edit') return call('edit', { chat, message: submission.message.id, text, ...mentions })
  return call('send', { chat, text, ...mentions, ...(submission.replyTo && { reply_to: submission.replyTo.id }) })
}

/** Whoever sends wants to see it: at the end, below the line of what was not read. */
export function showEnd(talk: Talk): void {
  talk.sent.value++
  talk.jump.value = { to: 'end' }
}
