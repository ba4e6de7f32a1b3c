// Messages that this page has just sent: shown before the core has them, and then as the core shows them.
import type { EntityView, MentionView, OutgoingMessage } from '../contract/objects.ts'
import type { ComposerSubmission } from './writing/composer-state.ts'

type Send = Extract<ComposerSubmission, { kind: 'send' }>
type Sent = { key: string; chat: string; madeMs: number; isOnline: boolean }

type Said = { text: string; mentions?: MentionView[]; entities?: EntityView[]; reply_to?: string }

/** In the form for the core. */
export const saidIn = ({ text, mentions, entities, replyTo }: Send): Said => ({
  text,
  ...(mentions.length > 0 && { mentions }),
  ...(entities && { entities }),
  ...(replyTo && { reply_to: replyTo.id }),
})

export const pendingOf = (submission: Send, { isOnline, ...sent }: Sent): OutgoingMessage => ({
  ...sent,
  body: { kind: 'text', ...saidIn(submission) },
  state: { kind: isOnline ? 'sending' : 'waiting' },
})

/** In sending order: the core has the first ones. */
export function withPending(
  queued: readonly OutgoingMessage[],
  pending: readonly OutgoingMessage[],
): OutgoingMessage[] {
  const known = new Set(queued.map(({ key }) => key))
  return [...queued, ...pending.filter(({ key }) => !known.has(key))]
}
