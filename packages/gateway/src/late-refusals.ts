// Refuses wrong secrets late, so that guessing is slow. Callers with a valid secret never wait for those who guess.
import { type Clock, CodedError, hookLimits, pause } from '@postern/protocol'

export class LateRefusals {
  readonly #clock: Clock
  /** The name of the requests, in the plural. */
  readonly #what: string
  #waiting = 0

  constructor(clock: Clock, what: string) {
    this.#clock = clock
    this.#what = what
  }

  /** Above the limit the answer does not distinguish an unknown secret from a busy gateway, and costs no memory. */
  async refuse(refusal: Error, gone: AbortSignal): Promise<never> {
    if (this.#waiting >= hookLimits.missesWaitingMax) throw new CodedError('rate-limited', { what: this.#what })
    this.#waiting++
    await pause(this.#clock, hookLimits.missDelayMs, gone)
    this.#waiting--
    throw refusal
  }
}
