// Logs the same phrase at most once in an interval: a lasting fault must not fill the disk with lines.
import type { Clock } from './clock.ts'

export class LogThrottle {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #said = new Map<string, { atMs: number; unsaid: number }>()

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Calls `write` if the interval has passed, with the number of lines left out since the last one. */
  say(what: string, write: (unsaid: { unsaid?: number }) => void): void {
    const nowMs = this.#clock.monotonicMs()
    const last = this.#said.get(what)
    if (last && nowMs - last.atMs < this.#everyMs) {
      last.unsaid += 1
      return
    }
    this.#said.set(what, { atMs: nowMs, unsaid: 0 })
    write(last && last.unsaid > 0 ? { unsaid: last.unsaid } : {})
  }
}
