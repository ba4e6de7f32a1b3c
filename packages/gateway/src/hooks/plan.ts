// What a post comes to: nothing, or a text with what it makes of the group or the branch that it is about.
import type { Client } from '@postern/core'
import { isCoded, type MessageId } from '@postern/protocol'
import type { StoredHook } from './hooks.ts'
import type { About, HookMemory, Passed } from './memory.ts'
import type { News } from './news.ts'

export type WritePlan = { kind: 'write'; text: string; replyTo?: MessageId; about?: About }
export type PostPlan = { kind: 'silent'; why: string } | WritePlan

export type PlanParts = { client: Client; memory: HookMemory; passed: Passed }

export function planPost({ client, memory, passed }: PlanParts, hook: StoredHook, { post, at }: News): PostPlan {
  const plan = post.plan(at && memory.get(at), passed.nowMs())
  if (plan.kind === 'silent') return plan
  const { text, inReply, becomes } = plan
  const about = at && becomes && { about: { ...becomes, at } }
  return inReply && isThere(client, hook, inReply.to)
    ? { kind: 'write', text: inReply.text, replyTo: inReply.to, ...about }
    : { kind: 'write', text, ...about }
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
