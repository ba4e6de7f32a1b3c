// Sends the content of the field: the field is emptied immediately, and the message appears below the others in the
// same moment.
import { call } from '../link/link.ts'
import { attempt } from '../parts/attempt.ts'
import { pendingOf, saidIn } from './pending.ts'
import type { Talk } from './talk.ts'
import type { ComposerSubmission } from './writing/composer-state.ts'
import { awaitsFormatting, loadFormatting } from './writing/formatting.ts'
import { mentionsIn } from './writing/mentions.ts'

type Edit = Extract<ComposerSubmission, { kind: 'edit' }>
type Send = Extract<ComposerSubmission, { kind: 'send' }>

export async function submitField(talk: Talk): Promise<void> {
  if (awaitsFormatting(talk.compose.text.peek())) await loadFormatting()
  const submission = talk.compose.submit(talk.chat.peek())
  if (!submission) return
  const done = submission.kind === 'edit' ? await edit(talk, submission) : await send(talk, submission)
  if (!done) talk.compose.giveBack(submission)
}

/** A command without arguments. */
export async function sendText(talk: Talk, text: string): Promise<void> {
  await send(talk, { kind: 'send', text, mentions: mentionsIn(text, talk.chat.peek(), new Map()) })
}

async function edit(talk: Talk, { text, mentions, entities, message }: Edit): Promise<boolean> {
  const said = { text, ...(mentions.length > 0 && { mentions }), ...(entities && { entities }) }
  return (await attempt(call('edit', { chat: talk.chat.peek().id, message: message.id, ...said }))) !== undefined
}

async function send(talk: Talk, submission: Send): Promise<boolean> {
  const chat = talk.chat.peek().id
  const key = crypto.randomUUID()
  const isOnline = talk.connection.peek() === 'online'
  const row = pendingOf(submission, { key, chat, madeMs: Date.now(), isOnline })
  talk.pending.value = [...talk.pending.peek(), row]
  showEnd(talk)
  const done = await attempt(call('send', { chat, ...saidIn(submission) }, key))
  // The core has shown it before it answers.
  talk.pending.value = talk.pending.peek().filter(one => one !== row)
  return done !== undefined
}

/** The sender wants to see it: at the end, below the line of unread messages. */
export function showEnd(talk: Talk): void {
  talk.sent.value++
  talk.jump.value = { to: 'end' }
}
