// The time that a caller is ready to wait, shared by all steps of one operation.
import type { Clock } from '../clock.ts'
import { CodedError } from '../errors.ts'
import { Deferred } from './deferred.ts'

export type TimeoutOption = { timeoutMs: number }

export class Deadline {
  readonly #clock: Clock
  readonly #endMs: number
  readonly #late: () => CodedError

  /** `late`: the error when the time is up; `relay-unreachable` by default, because most waits are for the relay. */
  constructor(clock: Clock, within: TimeoutOption, late = () => new CodedError('relay-unreachable')) {
    this.#clock = clock
    this.#endMs = clock.monotonicMs() + within.timeoutMs
    this.#late = late
  }

  /** Throws when the time is up, so that no further step begins. */
  leftMs(): number {
    const left = this.#endMs - this.#clock.monotonicMs()
    if (left <= 0) throw this.#late()
    return left
  }

  /** The outcome of work that has no deadline of its own; rejects when this deadline passes. */
  async awaiting<T>(work: () => Promise<T>): Promise<T> {
    const leftMs = this.leftMs()
    const wait = new Deferred<T>()
    wait.settleWith(work())
    wait.after(this.#clock, leftMs, () => wait.reject(this.#late()))
    return await wait.promise
  }
}
