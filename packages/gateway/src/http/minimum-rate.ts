// Detects a sender that is too slow: it would hold its slot for days.
import { type Clock, gatewayLimits } from '@postern/protocol'

export class MinimumRate {
  readonly #clock: Clock
  #bytes = 0
  #waitedMs = 0
  #beganMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#beganMs = clock.monotonicMs()
  }

  /** Starts the wait for the sender: time in which nobody reads does not count against it. */
  wait(): void {
    this.#beganMs = this.#clock.monotonicMs()
  }

  /** False when too few bytes arrived in the time of the wait. */
  isKeptWith(bytes: number): boolean {
    this.#waitedMs += this.#clock.monotonicMs() - this.#beganMs
    this.#bytes += bytes
    if (this.#waitedMs < gatewayLimits.fileIdleMs) return true
    const isKept = this.#bytes >= gatewayLimits.fileIdleBytesMin
    this.#bytes = 0
    this.#waitedMs = 0
    return isKept
  }
}
