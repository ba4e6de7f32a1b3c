// Counts per key within a minute, for what is limited across connections.
import { type Clock, CodedError } from '@postern/protocol'

const MINUTE_MS = 60_000
const KEYS_MAX = 200_000

export class MinuteRates {
  readonly #clock: Clock
  #counts = new Map<string, number>()
  #minute = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether something that happens once more is still to be told. */
  allows(key: string, max: number): boolean {
    try {
      this.charge(key, { count: 1, max, what: key })
      return true
    } catch {
      return false
    }
  }

  /** Throws `rate-limited` when the key is over its limit; then nothing is counted. */
  charge(key: string, cost: { count: number; max: number; what: string }): void {
    const minute = Math.floor(this.#clock.nowMs() / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#counts = new Map()
    }
    const used = this.#counts.get(key) ?? 0
    const memoryFull = used === 0 && this.#counts.size >= KEYS_MAX
    if (used + cost.count > cost.max || memoryFull)
      throw new CodedError('rate-limited', { what: cost.what, retryAtMs: (minute + 1) * MINUTE_MS })
    this.#counts.set(key, used + cost.count)
  }
}
