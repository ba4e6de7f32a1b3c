// Limits how much work of one key is done at the same time. Work begins in the order of the calls.
import { Deferred } from '@postern/protocol'

export class Turns {
  readonly #max: number
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, Deferred[]>()

  constructor(max: number) {
    this.#max = max
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(key)
    try {
      return await work()
    } finally {
      this.#leave(key)
    }
  }

  async #enter(key: string): Promise<void> {
    const running = this.#running.get(key) ?? 0
    if (running < this.#max) {
      this.#running.set(key, running + 1)
      return
    }
    const turn = new Deferred()
    const waiting = this.#waiting.get(key)
    if (waiting) waiting.push(turn)
    else this.#waiting.set(key, [turn])
    await turn.promise
  }

  /** The place goes to the one that waits for longest. */
  #leave(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) return next.resolve()
    this.#waiting.delete(key)
    const running = (this.#running.get(key) ?? 1) - 1
    if (running > 0) this.#running.set(key, running)
    else this.#running.delete(key)
  }
}
