// What senders know of posts that are written: one that did not hear so comes again, and must not be written again.
import { hookLimits } from '@postern/protocol'
import { type Caller, type Fate, whenGone } from '../waiting.ts'
import type { HookMemory, Passed, Place } from './memory.ts'
import { isWithin } from './plan.ts'

export type Spot = {
  /** Where a post is found while it is written. */
  at: Place<'attempt'>
  /** Where once it was answered: what has a key is remembered by that. */
  answeredAt?: Place<'answered'>
  /** How soon after its answer the same body is taken for a retry, when nobody knows whether the answer arrived. */
  repeatWithinMs: number
  /** Nobody means the same body twice, as of a run of a pipeline: its number and its state are in it. */
  isOneEvent: boolean
}

export class Hearing {
  readonly #memory: HookMemory
  readonly #passed: Passed
  /** Attempts that are written, and whose senders still wait for the answer. */
  readonly #waiting = new Set<string>()
  /** Attempts that were answered, over connections that still stand. */
  readonly #standing = new Set<string>()

  constructor(memory: HookMemory, passed: Passed) {
    this.#memory = memory
    this.#passed = passed
  }

  /** The attempt by which this was written for a sender that did not hear so. From anybody else the same is news. */
  unheard({ at, answeredAt, repeatWithinMs, isOneEvent }: Spot): string | undefined {
    const written = this.#memory.get(at)
    if (written) return this.#isLately(written, hookLimits.unheardWithinMs) ? written.attempt : undefined
    const answered = answeredAt && this.#memory.get(answeredAt)
    if (!answered) return undefined
    // Who comes again has given up the connection over which it waited.
    if (this.#standing.has(answered.attempt) && !isOneEvent) return undefined
    const withinMs = answered.wasReset ? hookLimits.unheardWithinMs : repeatWithinMs
    return this.#isLately(answered, withinMs) ? answered.attempt : undefined
  }

  /** Who hung up, or was cut off when this process was killed, comes again: what it asked for must be found then. */
  watch(spot: Spot, attempt: string, caller: Caller): void {
    this.#waiting.add(attempt)
    whenGone(caller.gone, reason => {
      this.#waiting.delete(attempt)
      if (reason === 'answered') this.#answered(spot, attempt, caller)
    })
  }

  /** That an answer was handed over to the system does not say that it arrives. */
  #answered(spot: Spot, attempt: string, { fate }: Caller): void {
    const { at, answeredAt } = spot
    // In its place may be the attempt of somebody who said the same meanwhile, or none: this was a retry of what was answered.
    const isFirst = this.#memory.get(at)?.attempt === attempt
    if (isFirst)
      this.#memory.changeSoon({ at, forget: true }, ...(answeredAt ? [{ at: answeredAt, put: { attempt } }] : []))
    if (!answeredAt || spot.isOneEvent) return
    this.#standing.add(attempt)
    fate(known => {
      this.#standing.delete(attempt)
      // Retries do not make the time longer: what is said every few seconds would be silent for ever.
      if (known === 'closed' && !isFirst) return
      if (this.#memory.get(answeredAt)?.attempt === attempt) this.#learned(answeredAt, attempt, known)
    })
  }

  #learned(at: Place<'answered'>, attempt: string, fate: Fate): void {
    switch (fate) {
      case 'heard':
        return this.#memory.changeSoon({ at, forget: true })
      case 'reset':
        return this.#memory.changeSoon({ at, put: { attempt, wasReset: true } })
      case 'closed':
        return this.#memory.changeSoon({ at, put: { attempt } })
    }
  }

  #isLately({ attempt, ts }: { attempt: string; ts: number }, withinMs: number): boolean {
    return isWithin(this.#passed, ts, withinMs) && !this.#waiting.has(attempt)
  }
}
