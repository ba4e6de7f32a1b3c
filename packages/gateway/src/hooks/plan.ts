// What a post comes to: nothing, or a text with what is to be remembered once it is written.
import { hash } from 'node:crypto'
import type { Client } from '@postern/core'
import { type Clock, hookLimits, isCoded, type MessageId } from '@postern/protocol'
import { readAlerts } from './formats/alerts.ts'
import { readPipeline } from './formats/pipeline.ts'
import { decodeBody, mediaTypeOf, readJson, readText } from './formats/text.ts'
import type { StoredHook } from './hooks.ts'
import type { Change, HookMemory, Place } from './memory.ts'

export type Plan =
  | { kind: 'silent' }
  | { kind: 'write'; text: string; replyTo?: MessageId; changes: (written: MessageId) => Change[] }

export type Incoming = { hook: StoredHook; body: Uint8Array; contentType: string | undefined }

export type PlanParts = { client: Client; memory: HookMemory; clock: Clock }

const silent: Plan = { kind: 'silent' }

export function planPost(parts: PlanParts, { hook, body, contentType }: Incoming): Plan {
  const type = mediaTypeOf(contentType)
  const text = decodeBody(body, type)
  switch (hook.format) {
    case 'alerts':
      return planAlerts(parts, hook, readJson(text))
    case 'pipeline':
      return planPipeline(parts, hook, readJson(text))
    case 'text':
      return { kind: 'write', text: readText(text, type), changes: () => [] }
  }
}

export const digest = (text: string | Uint8Array): string => hash('sha256', text, 'base64url')

/** A pair of senders says everything twice, at nearly the same time. */
function planAlerts({ client, memory, clock }: PlanParts, hook: StoredHook, json: unknown): Plan {
  const group = readAlerts(json)
  const at: Place<'group'> = { hook: hook.id, kind: 'group', name: digest(group.key) }
  const identity = digest(group.identity)
  const past = memory.get(at)
  // Near in either direction: a clock that was set back by hours must not keep repeats silent for hours.
  if (past?.identity === identity && Math.abs(clock.nowMs() - past.ts) < hookLimits.duplicateWithinMs) return silent
  if (group.status === 'firing')
    return { kind: 'write', text: group.text, changes: message => [{ at, put: { identity, message } }] }
  const replyTo = past?.message && isThere(client, hook, past.message) ? past.message : undefined
  return {
    kind: 'write',
    text: group.text,
    ...(replyTo && { replyTo }),
    changes: () => [{ at, put: { identity, ...(past?.message && { message: past.message }) } }],
  }
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
function planPipeline({ memory }: PlanParts, hook: StoredHook, json: unknown): Plan {
  const run = readPipeline(json)
  if (!run) return silent
  const at: Place<'run'> = { hook: hook.id, kind: 'run', name: digest(run.line) }
  const { outcome, number, text } = run
  switch (outcome) {
    case 'failed':
      return { kind: 'write', text, changes: () => [{ at, put: { failed: number ?? null } }] }
    case 'canceled':
      return { kind: 'write', text, changes: () => [] }
    case 'success': {
      const broken = memory.get(at)
      if (!broken || (number !== undefined && number < (broken.failed ?? number))) return silent
      return { kind: 'write', text, changes: () => [{ at, forget: true }] }
    }
  }
}
