// Tracks which senders have received the answer to their post: a sender that has not may retry, and the retry is not written again.
import { hookLimits } from '@postern/protocol'
import { type AnswerOutcome, type HttpCaller, whenGone } from '../caller.ts'
import type { Repeat } from './formats/format.ts'
import { isWithin } from './formats/recent.ts'
import type { HookMemory, MemoryChange, MemoryClock, MemoryKey } from './memory.ts'

export type PostKeys = {
  /** The key of the post while it is being sent. */
  at: MemoryKey<'attempt'>
  /** Its key once it was answered; absent for a post with an Idempotency-Key, which is remembered by that key. */
  answeredAt?: MemoryKey<'answered'>
  repeat: Repeat
}

export class RetryDetector {
  readonly #memory: HookMemory
  readonly #elapsed: MemoryClock
  /** Attempts that were sent, and whose senders still wait for the answer. */
  readonly #waiting = new Set<string>()
  /** Attempts that were answered, over connections that are still open. */
  readonly #standing = new Set<string>()

  constructor(memory: HookMemory, elapsed: MemoryClock) {
    this.#memory = memory
    this.#elapsed = elapsed
  }

  /** The attempt that was sent for a sender that did not receive the answer. The same from anybody else is news. */
  unheard({ at, answeredAt, repeat }: PostKeys): string | undefined {
    const written = this.#memory.get(at)
    if (written) {
      // Two senders of one event, or one that gave up early: the answer to the first one is still on its way.
      if (repeat.isOneEvent && this.#waiting.has(written.attempt)) return written.attempt
      return this.#isLately(written, hookLimits.unheardWithinMs) ? written.attempt : undefined
    }
    const answered = answeredAt && this.#memory.get(answeredAt)
    if (!answered) return undefined
    // A sender that retries has closed the connection on which it waited.
    if (this.#standing.has(answered.attempt) && !repeat.isOneEvent) return undefined
    const withinMs = answered.wasReset ? hookLimits.unheardWithinMs : repeat.withinMs
    return this.#isLately(answered, withinMs) ? answered.attempt : undefined
  }

  /** A sender that hung up, or was cut off when this process was killed, retries: its attempt must be found then. */
  watch(keys: PostKeys, attempt: string, caller: HttpCaller): void {
    this.#waiting.add(attempt)
    whenGone(caller.gone, reason => {
      this.#waiting.delete(attempt)
      if (reason === 'answered') this.#answered(keys, attempt, caller)
    })
  }

  /** Handing an answer to the system does not prove that it arrives. */
  #answered(keys: PostKeys, attempt: string, { fate }: HttpCaller): void {
    const { at, answeredAt, repeat } = keys
    // The entry may belong to another sender that reported the same meanwhile, or be gone: then this was a retry of an
    // answered post.
    const isFirst = this.#memory.get(at)?.attempt === attempt
    const answered: MemoryChange[] = isFirst && answeredAt ? [{ at: answeredAt, put: { attempt } }] : []
    if (isFirst) this.#memory.changeSoon({ at, forget: true }, ...(isKept(repeat) ? answered : []))
    if (!isKept(repeat)) this.#memory.hold(...answered)
    if (!answeredAt || repeat.isOneEvent) return
    this.#standing.add(attempt)
    fate(known => {
      this.#standing.delete(attempt)
      // Retries do not extend the time: a report that repeats every few seconds would be silent forever.
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

/** For formats such as alerts, the same body is news after its answer, so a restart needs no stored entry. */
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
