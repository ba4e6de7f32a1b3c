// What was sent from this page a moment ago: it stands there before the core has it, and then as the core shows it.
import type { Outgoing } from '../contract/objects.ts'
import type { Submission } from './writing/composer-state.ts'

type Sent = { key: string; chat: string; madeMs: number; isOnline: boolean }

export function pendingOf(
  { text, mentions, replyTo }: Extract<Submission, { kind: 'send' }>,
  { key, chat, madeMs, isOnline }: Sent,
): Outgoing {
  const about = { ...(mentions.length > 0 && { mentions }), ...(replyTo && { reply_to: replyTo.id }) }
  const state = { kind: isOnline ? 'sending' : 'waiting' } as const
  return { key, chat, madeMs, body: { kind: 'text', text, ...about }, state }
}

/** In the order in which they go out: the core has what was sent first. */
export function withPending(queued: readonly Outgoing[], pending: readonly Outgoing[]): Outgoing[] {
  const known = new Set(queued.map(({ key }) => key))
  return [...queued, ...pending.filter(({ key }) => !known.has(key))]
}
