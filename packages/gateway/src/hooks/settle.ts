// What was begun about a group or a branch is brought to its end before anything else is said about it.
import type { Client } from '@postern/core'
import type { MessageId } from '@postern/protocol'
import type { About, Change, HookMemory, Passed, Place } from './memory.ts'
import type { News } from './news.ts'
import { isLately } from './plan.ts'
import { findWritten, type Sending } from './send-parts.ts'

/** How far a post has come: what is `begun` may be written or not, what is `written` may not be answered. */
export type Progress = { kind: 'new' } | { kind: 'begun' | 'written'; attempt: string }

export type SettleParts = { client: Client; memory: HookMemory; passed: Passed }

type Settling = { own: Progress; sending: Omit<Sending, 'attempt'> }

/**
 * The progress of a post, by all that the relay knows. A pair of senders has one attempt: what the other has begun
 * lately, this one goes on with.
 */
export async function settle(parts: SettleParts, news: News, { own, sending }: Settling): Promise<Progress> {
  if (!('at' in news) || own.kind === 'written') return own
  const { client, memory, passed } = parts
  const open = memory.get(openPlace(news))
  if (own.kind === 'begun') {
    if (own.attempt === open?.attempt) return own
    // Others have spoken since, and counted it in: it must not undo what they said.
    if (await findWritten(client, { ...sending, attempt: own.attempt })) return { ...own, kind: 'written' }
  }
  if (!open) return own
  const { attempt, about, ts } = open
  if (own.kind === 'new' && saysTheSame(news, about) && isLately(passed, ts)) return { kind: 'begun', attempt }
  const message = await findWritten(client, { ...sending, attempt })
  await memory.write(closing(about), ...(message ? [changeBy(memory, about, { message, saidMs: ts })] : []))
  return own
}

const openPlace = ({ at: { hook, name } }: Pick<About, 'at'>): Place<'open'> => ({ hook, kind: 'open', name })

const saysTheSame = (news: News, about: About): boolean =>
  news.kind === 'alerts' && 'identity' in about && about.identity === news.group.identity

/** Ahead of the message, and again with each try. */
export const opening = (about: About, attempt: string): Change => ({ at: openPlace(about), put: { attempt, about } })

export const closing = (about: About): Change => ({ at: openPlace(about), forget: true })

/** Once it is known to be written. */
export function changeBy(
  memory: HookMemory,
  about: About,
  { message, saidMs }: { message: MessageId; saidMs: number },
): Change {
  switch (about.becomes) {
    case 'firing':
      return { at: about.at, put: { identity: about.identity, saidMs, message } }
    case 'resolved': {
      const fired = memory.get(about.at)?.message
      return { at: about.at, put: { identity: about.identity, saidMs, ...(fired && { message: fired }) } }
    }
    case 'failed':
      return { at: about.at, put: { failed: about.number } }
    case 'mended':
      return { at: about.at, forget: true }
  }
}
