// Finishes interrupted work on a group or a branch before anything else is written about it.
import type { Client } from '@postern/core'
import type { MessageId } from '@postern/protocol'
import { isRecent } from './formats/recent.ts'
import type { HookMemory, MemoryChange, MemoryClock, MemoryKey, PostSubject } from './memory.ts'
import type { ParsedPost } from './read-post.ts'
import { findWritten, type PartsTarget } from './send-parts.ts'

/** How far a post has come: a `begun` one may be sent or not, a `written` one may not be answered yet. */
export type PostProgress = { kind: 'new' } | { kind: 'begun' | 'written'; attempt: string }

export type SettleParts = { client: Client; memory: HookMemory; elapsed: MemoryClock }

type Settling = { own: PostProgress; target: Omit<PartsTarget, 'attempt'> }

/**
 * The progress of a post, with all that the relay knows. A pair of senders shares one attempt: this sender continues an
 * attempt that the other began recently.
 */
export async function settle(parts: SettleParts, news: ParsedPost, { own, target }: Settling): Promise<PostProgress> {
  const { post, at } = news
  if (!at || own.kind === 'written') return own
  const { client, memory, elapsed } = parts
  const open = memory.get(openKey({ at }))
  if (own.kind === 'begun') {
    if (own.attempt === open?.attempt) return own
    // Later posts were sent since and took this one into account: it must not undo them.
    if (await findWritten(client, { ...target, attempt: own.attempt })) return { ...own, kind: 'written' }
  }
  if (!open) return own
  const { attempt, about, ts } = open
  if (own.kind === 'new' && post.isSaid(about) && isRecent({ atMs: ts, nowMs: elapsed.nowMs() }))
    return { kind: 'begun', attempt }
  const message = await findWritten(client, { ...target, attempt })
  await memory.write(closing(about), ...(message ? [changeBy(memory, news, { about, message, saidMs: ts })] : []))
  return own
}

const openKey = ({ at: { hook, name } }: Pick<PostSubject, 'at'>): MemoryKey<'open'> => ({ hook, kind: 'open', name })

/** Noted before the message is sent, and again with each try. */
export const opening = (about: PostSubject, attempt: string): MemoryChange => ({
  at: openKey(about),
  put: { attempt, about },
})

export const closing = (about: PostSubject): MemoryChange => ({ at: openKey(about), forget: true })

export type WrittenPost = { about: PostSubject; message: MessageId; saidMs: number }

/** The changes to store once the message is known to be sent. */
export function changeBy(
  memory: HookMemory,
  { format }: ParsedPost,
  { about, message, saidMs }: WrittenPost,
): MemoryChange {
  const { at } = about
  const kept = format.kept(about, { message, saidMs, past: memory.get(at) })
  return kept ? { at, put: kept } : { at, forget: true }
}
