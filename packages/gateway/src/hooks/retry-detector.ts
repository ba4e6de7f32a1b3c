// Tracks which senders have received the answer to their post: a sender that has not may retry, and the retry is not written again.
import { hookLimits } from '@postern/protocol'
import { type AnswerOutcome, type HttpCaller, whenGone } from '../caller.ts'
import type { Repeat } from './formats/format.ts'
import { isWithin } from './formats/recent.ts'
import type { HookMemory, MemoryChange, MemoryClock, MemoryKey } from './memory.ts'

export type PostKeys = {
  /** Where the post is found while it is written. */
  at: MemoryKey<'attempt'>
  /** Where it is found once it was answered; absent for a post with an Idempotency-Key, which is remembered by that. */
  answeredAt?: MemoryKey<'answered'>
  repeat: Repeat
}

export class RetryDetector {
  readonly #memory: HookMemory
  readonly #elapsed: MemoryClock
  /** Attempts that are written, and whose senders still wait for the answer. */
  readonly #waiting = new Set<string>()
  /** Attempts that were answered, over connections that still stand. */
  readonly #standing = new Set<string>()

  constructor(memory: HookMemory, elapsed: MemoryClock) {
    this.#memory = memory
    this.#elapsed = elapsed
  }

  /** The attempt by which this was written for a sender that did not hear so. From anybody else the same is news. */
  unheard({ at, answeredAt, repeat }: PostKeys): string | undefined {
    const written = this.#memory.get(at)
    if (written) return this.#isLately(written, hookLimits.unheardWithinMs) ? written.attempt : undefined
    const answered = answeredAt && this.#memory.get(answeredAt)
    if (!answered) return undefined
    // Who comes again has given up the connection over which it waited.
    if (this.#standing.has(answered.attempt) && !repeat.isOneEvent) return undefined
    const withinMs = answered.wasReset ? hookLimits.unheardWithinMs : repeat.withinMs
    return this.#isLately(answered, withinMs) ? answered.attempt : undefined
  }

  /** Who hung up, or was cut off when this process was killed, comes again: what it asked for must be found then. */
  watch(keys: PostKeys, attempt: string, caller: HttpCaller): void {
    this.#waiting.add(attempt)
    whenGone(caller.gone, reason => {
      this.#waiting.delete(attempt)
      if (reason === 'answered') this.#answered(keys, attempt, caller)
    })
  }

  /** That an answer was handed over to the system does not say that it arrives. */
  #answered(keys: PostKeys, attempt: string, { fate }: HttpCaller): void {
    const { at, answeredAt, repeat } = keys
    // In its place may be the attempt of somebody who said the same meanwhile, or none: this was a retry of what was answered.
    const isFirst = this.#memory.get(at)?.attempt === attempt
    const answered: MemoryChange[] = isFirst && answeredAt ? [{ at: answeredAt, put: { attempt } }] : []
    if (isFirst) this.#memory.changeSoon({ at, forget: true }, ...(isKept(repeat) ? answered : []))
    if (!isKept(repeat)) this.#memory.hold(...answered)
    if (!answeredAt || repeat.isOneEvent) return
    this.#standing.add(attempt)
    fate(known => {
      this.#standing.delete(attempt)
      // Retries do not make the time longer: what is said every few seconds would be silent for ever.
      if (known === 'closed' && !isFirst) return
      const last = this.#memory.get(answeredAt)
      if (last?.attempt !== attempt) return
      const change = learned(known, { at: answeredAt, attempt })
      if (known === 'reset' || last.wasReset || isKept(repeat)) this.#memory.changeSoon(change)
      else this.#memory.hold(change)
    })
  }

  #isLately({ attempt, ts }: { attempt: string; ts: number }, withinMs: number): boolean {
    return isWithin(withinMs, { atMs: ts, nowMs: this.#elapsed.nowMs() }) && !this.#waiting.has(attempt)
  }
}

/** Where the same body is news from its answer on, as of alerts, a restart that finds nothing finds the same. */
const isKept = ({ withinMs }: Repeat): boolean => withinMs > 0

function learned(fate: AnswerOutcome, { at, attempt }: { at: MemoryKey<'answered'>; attempt: string }): MemoryChange {
  switch (fate) {
    case 'heard':
      return { at, forget: true }
    case 'reset':
      return { at, put: { attempt, wasReset: true } }
    case 'closed':
      return { at, put: { attempt } }
  }
}
