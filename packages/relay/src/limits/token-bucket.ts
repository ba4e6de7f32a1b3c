// A steady rate that allows bursts.
import type { Clock } from '@postern/protocol'

export class TokenBucket {
  readonly #clock: Clock
  readonly #perSecond: number
  readonly #burst: number
  #tokens: number
  #filledMs: number

  constructor(clock: Clock, rate: { perSecond: number; burst: number }) {
    this.#clock = clock
    this.#perSecond = rate.perSecond
    this.#burst = rate.burst
    this.#tokens = rate.burst
    this.#filledMs = clock.monotonicMs()
  }

  /** Returns whether there was a token to spend. */
  spend(): boolean {
    this.#fill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /**
   * The wait until a tenth of a second's worth of tokens is available:
   * resuming for a single token would mean constant pausing.
   */
  waitMs(): number {
    const wanted = Math.max(1, Math.min(this.#perSecond / 10, this.#burst))
    return Math.max(1, Math.ceil(((wanted - this.#tokens) * 1000) / this.#perSecond))
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs()
    const grown = ((nowMs - this.#filledMs) * this.#perSecond) / 1000
    this.#filledMs = nowMs
    this.#tokens = Math.min(this.#burst, this.#tokens + grown)
  }
}
