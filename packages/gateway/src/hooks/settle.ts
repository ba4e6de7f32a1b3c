// What was begun about a group or a branch is brought to its end before anything else is said about it.
import type { Client } from '@postern/core'
import type { MessageId } from '@postern/protocol'
import { isLately } from './formats/lately.ts'
import type { About, Change, HookMemory, MemoryKey, Passed } from './memory.ts'
import type { News } from './news.ts'
import { findWritten, type PartsTarget } from './send-parts.ts'

/** How far a post has come: what is `begun` may be written or not, what is `written` may not be answered. */
export type Progress = { kind: 'new' } | { kind: 'begun' | 'written'; attempt: string }

export type SettleParts = { client: Client; memory: HookMemory; passed: Passed }

type Settling = { own: Progress; target: Omit<PartsTarget, 'attempt'> }

/**
 * The progress of a post, by all that the relay knows. A pair of senders has one attempt: what the other has begun
 * lately, this one goes on with.
 */
export async function settle(parts: SettleParts, news: News, { own, target }: Settling): Promise<Progress> {
  const { post, at } = news
  if (!at || own.kind === 'written') return own
  const { client, memory, passed } = parts
  const open = memory.get(openKey({ at }))
  if (own.kind === 'begun') {
    if (own.attempt === open?.attempt) return own
    // Later posts were written since, and counted this one in: it must not undo what they said.
    if (await findWritten(client, { ...target, attempt: own.attempt })) return { ...own, kind: 'written' }
  }
  if (!open) return own
  const { attempt, about, ts } = open
  if (own.kind === 'new' && post.isSaid(about) && isLately({ atMs: ts, nowMs: passed.nowMs() }))
    return { kind: 'begun', attempt }
  const message = await findWritten(client, { ...target, attempt })
  await memory.write(closing(about), ...(message ? [changeBy(memory, news, { about, message, saidMs: ts })] : []))
  return own
}

const openKey = ({ at: { hook, name } }: Pick<About, 'at'>): MemoryKey<'open'> => ({ hook, kind: 'open', name })

/** Noted before the message is sent, and again with each try. */
export const opening = (about: About, attempt: string): Change => ({ at: openKey(about), put: { attempt, about } })

export const closing = (about: About): Change => ({ at: openKey(about), forget: true })

export type Told = { about: About; message: MessageId; saidMs: number }

/** What is remembered once the message is known to be written. */
export function changeBy(memory: HookMemory, { format }: News, { about, message, saidMs }: Told): Change {
  const { at } = about
  const kept = format.kept(about, { message, saidMs, past: memory.get(at) })
  return kept ? { at, put: kept } : { at, forget: true }
}
