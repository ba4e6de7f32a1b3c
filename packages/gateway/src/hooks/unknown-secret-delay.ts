// Delays the answer to unknown secrets, so that guessing is slow. Callers with a valid secret never wait for those who guess.
import { type Clock, CodedError, hookLimits, pause } from '@postern/protocol'

export class UnknownSecretDelay {
  readonly #clock: Clock
  #waiting = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Above the limit the answer does not distinguish an unknown secret from a busy hook, and costs no memory. */
  async refuse(gone: AbortSignal): Promise<never> {
    if (this.#waiting >= hookLimits.missesWaitingMax) throw new CodedError('rate-limited', { what: 'unknown hooks' })
    this.#waiting++
    await pause(this.#clock, hookLimits.missDelayMs, gone)
    this.#waiting--
    throw new CodedError('hook-not-found')
  }
}
