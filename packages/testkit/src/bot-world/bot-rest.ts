// Whether a bot still works: one that confirms its updates first has calls ahead of it when its queue is empty.
import { type Clock, systemClock } from '@postern/protocol'

/** A bot that polls beside its handlers may compute between two calls. */
const QUIET_MS = 250

export class BotRest {
  readonly #clock: Clock
  #changes = 0
  #changedMs = Number.NEGATIVE_INFINITY
  #hasPolled = true

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  polls(): void {
    if (this.#changes === 0) this.#hasPolled = true
  }

  /** A call that changes something, until the bot has its answer. */
  async during<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#changes += 1
    try {
      return await change()
    } finally {
      this.#changes -= 1
      this.#changedMs = this.#clock.monotonicMs()
      this.#hasPolled = false
    }
  }

  /** No change is on its way, and since the last one the bot has asked for updates, or done nothing for a while. */
  get isAtRest(): boolean {
    return this.#changes === 0 && (this.#hasPolled || this.#clock.monotonicMs() - this.#changedMs > QUIET_MS)
  }
}
