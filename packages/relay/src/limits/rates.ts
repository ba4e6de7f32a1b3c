// Counts events per key within a minute or an hour, for limits that apply across connections.
import { type Clock, CodedError, relayFixedLimits } from '@postern/protocol'

export class Rates {
  readonly #clock: Clock
  readonly #spanMs: number
  #counts = new Map<string, number>()
  #span = 0

  constructor(clock: Clock, spanMs: number) {
    this.#clock = clock
    this.#spanMs = spanMs
  }

  /** Whether one more event is within the limit. */
  allows(key: string, max: number): boolean {
    try {
      this.charge(key, { count: 1, max, what: key })
      return true
    } catch {
      return false
    }
  }

  /** Throws `rate-limited` if the key is over its limit; the event is then not counted. */
  charge(key: string, cost: { count: number; max: number; what: string }): void {
    const span = Math.floor(this.#clock.nowMs() / this.#spanMs)
    if (span !== this.#span) {
      this.#span = span
      this.#counts = new Map()
    }
    const used = this.#counts.get(key) ?? 0
    const memoryFull = used === 0 && this.#counts.size >= relayFixedLimits.rateKeysMax
    if (used + cost.count > cost.max || memoryFull)
      throw new CodedError('rate-limited', { what: cost.what, retryAtMs: (span + 1) * this.#spanMs })
    this.#counts.set(key, used + cost.count)
  }
}
