// How long a caller is ready to wait for the relay, shared by all the steps of one operation.
import type { Clock } from '../clock.ts'
import { CodedError } from '../errors.ts'

export type Within = { deadlineMs: number }

export class Deadline {
  readonly #clock: Clock
  readonly #endMs: number

  constructor(clock: Clock, within: Within) {
    this.#clock = clock
    this.#endMs = clock.monotonicMs() + within.deadlineMs
  }

  /** Throws when the time is up: nothing more is begun then. */
  leftMs(): number {
    const left = this.#endMs - this.#clock.monotonicMs()
    if (left <= 0) throw new CodedError('relay-unreachable')
    return left
  }

  /** The outcome of what others do in their own time; rejects with `relay-unreachable` when ours is up. */
  async awaiting<T>(work: () => Promise<T>): Promise<T> {
    const { promise: timeIsUp, reject } = Promise.withResolvers<never>()
    const timer = this.#clock.setTimer(this.leftMs(), () => reject(new CodedError('relay-unreachable')))
    try {
      return await Promise.race([work(), timeIsUp])
    } finally {
      timer.cancel()
    }
  }
}
