// The outcome of a post: nothing, or a text with the new state of its group or branch.
import type { Client } from '@postern/core'
import { isCoded, type MessageId } from '@postern/protocol'
import type { HookText } from './formats/format.ts'
import type { StoredHook } from './hooks.ts'
import type { HookMemory, MemoryClock, PostSubject } from './memory.ts'
import type { ParsedPost } from './read-post.ts'

export type WritePlan = HookText & { kind: 'write'; silent: boolean; replyTo?: MessageId; about?: PostSubject }
export type PostPlan = { kind: 'skip'; why: string } | WritePlan

export type PlanParts = { client: Client; memory: HookMemory; elapsed: MemoryClock }

export function planPost({ client, memory, elapsed }: PlanParts, hook: StoredHook, { post, at }: ParsedPost): PostPlan {
  const plan = post.plan(at && memory.get(at), elapsed.nowMs())
  if (plan.kind === 'skip') return plan
  const { text, entities, buttons, inReply, becomes } = plan
  const about = at && becomes && { about: { ...becomes, at } }
  const silent = (hook.silent ?? false) || (plan.silent ?? false)
  return inReply && isThere(client, hook, inReply.to)
    ? { kind: 'write', text: inReply.text, silent, replyTo: inReply.to, ...about }
    : { kind: 'write', text, ...(entities && { entities }), ...(buttons && { buttons }), silent, ...about }
}

/** A message that was deleted or has expired cannot be replied to. */
function isThere(client: Client, { chat }: StoredHook, message: MessageId): boolean {
  try {
    return client.messages.get(chat, message).id === message
  } catch (error) {
    if (isCoded(error, 'message-not-found', 'chat-not-found')) return false
    throw error
  }
}
