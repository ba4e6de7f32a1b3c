// Secrets that open nothing: each is refused late, so that guessing is slow. Who has a secret never waits for those who guess.
import { type Clock, CodedError, hookLimits } from '@postern/protocol'

export class Misses {
  readonly #clock: Clock
  #waiting = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Past the limit the answer does not tell a miss from a hook that is busy, and costs no memory. */
  async refuse(gone: AbortSignal): Promise<never> {
    if (this.#waiting >= hookLimits.missesWaitingMax) throw new CodedError('rate-limited', { what: 'unknown hooks' })
    this.#waiting++
    const over = Promise.withResolvers<void>()
    const end = () => over.resolve()
    const timer = this.#clock.setTimer(hookLimits.missDelayMs, end)
    gone.addEventListener('abort', end)
    await over.promise
    gone.removeEventListener('abort', end)
    timer.cancel()
    this.#waiting--
    throw new CodedError('hook-not-found')
  }
}
