// Limits what agents write: one that loops must not flood a chat.
import { type Clock, mcpLimits } from '@postern/protocol'

export class WriteBudget {
  readonly #clock: Clock
  #writtenMs: number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes one write. Returns how long to wait, if there is none left. */
  take(): { waitMs: number } {
    const nowMs = this.#clock.monotonicMs()
    const { writesMax, writesPerMs } = mcpLimits
    this.#writtenMs = this.#writtenMs.filter(atMs => nowMs - atMs < writesPerMs)
    const [oldestMs] = this.#writtenMs
    if (oldestMs !== undefined && this.#writtenMs.length >= writesMax) return { waitMs: oldestMs + writesPerMs - nowMs }
    this.#writtenMs.push(nowMs)
    return { waitMs: 0 }
  }
}
