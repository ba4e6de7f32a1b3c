// What a post comes to: nothing, or a text with what it makes of the group or the branch that it is about.
import type { Client } from '@postern/core'
import { hookLimits, isCoded, type MessageId } from '@postern/protocol'
import type { StoredHook } from './hooks.ts'
import type { About, HookMemory, Passed } from './memory.ts'
import type { AlertNews, News, PipelineNews } from './news.ts'

export type Plan = { kind: 'silent' } | { kind: 'write'; text: string; replyTo?: MessageId; about?: About }

export type PlanParts = { client: Client; memory: HookMemory; passed: Passed }

const silent: Plan = { kind: 'silent' }

export function planPost(parts: PlanParts, hook: StoredHook, news: News): Plan {
  switch (news.kind) {
    case 'none':
      return silent
    case 'text':
      return { kind: 'write', text: news.text }
    case 'alerts':
      return planAlerts(parts, hook, news)
    case 'pipeline':
      return planPipeline(parts, news)
  }
}

export const isLately = (passed: Passed, atMs: number): boolean => isWithin(passed, atMs, hookLimits.duplicateWithinMs)

/** Either way: what is remembered by a clock that was days ahead would be of just now for as long as that. */
export const isWithin = (passed: Passed, atMs: number, withinMs: number): boolean =>
  Math.abs(passed.nowMs() - atMs) < withinMs

/** A pair of senders says everything twice, at nearly the same time. */
function planAlerts({ client, memory, passed }: PlanParts, hook: StoredHook, { at, group }: AlertNews): Plan {
  const past = memory.get(at)
  if (past?.identity === group.identity && isLately(passed, past.saidMs)) return silent
  const about: About = { at, becomes: group.status, identity: group.identity }
  if (group.status === 'resolved' && past?.message && isThere(client, hook, past.message))
    return { kind: 'write', text: group.title, replyTo: past.message, about }
  return { kind: 'write', text: group.text, about }
}

/** A message that was deleted or has expired cannot be replied to. */
function isThere(client: Client, { chat }: StoredHook, message: MessageId): boolean {
  try {
    return client.message(chat, message).id === message
  } catch (error) {
    if (isCoded(error, 'message-not-found', 'chat-not-found')) return false
    throw error
  }
}

/** A run that was canceled says nothing about the branch, and a run from before the failure does not mend it. */
function planPipeline({ memory }: PlanParts, { at, run }: PipelineNews): Plan {
  const { outcome, number, text } = run
  switch (outcome) {
    case 'failed':
      return { kind: 'write', text, about: { at, becomes: 'failed', number: number ?? null } }
    case 'canceled':
      return { kind: 'write', text }
    case 'success': {
      const broken = memory.get(at)
      if (!broken || (number !== undefined && number < (broken.failed ?? number))) return silent
      return { kind: 'write', text, about: { at, becomes: 'mended' } }
    }
  }
}
