// Messages that this page has just sent: shown before the core has them, and then as the core shows them.
import type { MentionView, OutgoingMessage } from '../contract/objects.ts'
import type { ComposerSubmission } from './writing/composer-state.ts'

type Send = Extract<ComposerSubmission, { kind: 'send' }>
type Sent = { key: string; chat: string; madeMs: number; isOnline: boolean }

/** In the form for the core. */
export const saidIn = ({
  text,
  mentions,
  replyTo,
}: Send): { text: string; mentions?: MentionView[]; reply_to?: string } => ({
  text,
  ...(mentions.length > 0 && { mentions }),
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
