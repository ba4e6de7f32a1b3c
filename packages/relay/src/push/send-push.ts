// Sends one push when its host is free, and says what became of it.
import { type Clock, pushLimits } from '@postern/protocol'
import type { PushAnswer, PushPost, PushPoster } from './post-push.ts'
import type { HostOutcome, PushServices } from './push-services.ts'

/** `again`: later, not before `afterMs` if the service says so. `unsent`: nothing was tried, and its host rests. */
export type PushResult =
  | { kind: 'sent' }
  | { kind: 'refused' }
  | { kind: 'gone' }
  | { kind: 'again'; afterMs: number | undefined }
  | { kind: 'unsent' }
/** For metrics, and to notice that no service is reachable. */
export type PushObserver = (answer: PushAnswer, endpoint: URL) => void

type Parts = {
  clock: Clock
  poster: PushPoster
  services: PushServices
  observe: PushObserver
}

/** `write` is called when the request may go out: a push to a host that hangs costs nothing but its place in the line. */
export type PushDraft = {
  host: string
  write: () => Promise<PushPost | Extract<PushResult, { kind: 'gone' | 'unsent' }>>
}

export async function sendPush(parts: Parts, { host, write }: PushDraft, signal: AbortSignal): Promise<PushResult> {
  const { services, poster, observe } = parts
  if (!(await services.enter(host))) return { kind: 'unsent' }
  let outcome: HostOutcome = 'unused'
  try {
    const post = await write()
    if ('kind' in post) return post
    const answer = await poster.post(post, signal)
    if (signal.aborted) return { kind: 'unsent' }
    outcome = isFailure(answer) ? 'failed' : 'answered'
    observe(answer, post.endpoint)
    return resultOf(answer, parts.clock.nowMs())
  } finally {
    services.done(host, outcome)
  }
}

/** A host that works can refuse a single subscription. */
const isFailure = (answer: PushAnswer): boolean => answer.kind === 'failed' || answer.status >= 500

function resultOf(answer: PushAnswer, nowMs: number): PushResult {
  if (answer.kind === 'failed')
    return answer.code === 'EINSIDE' ? { kind: 'refused' } : { kind: 'again', afterMs: undefined }
  const { status, retryAfter } = answer
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  if (status === 429 || status >= 500) return { kind: 'again', afterMs: retryAfterMs(retryAfter, nowMs) }
  return { kind: 'refused' }
}

/** A number of seconds or a date; nobody waits longer than a push is worth. */
function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), pushLimits.ttlMs) : undefined
}
