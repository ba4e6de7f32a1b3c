// Lets so many at a time to the connections of a pool, in the order of their coming, and bounds how many wait.
import { CodedError, Wait } from '@postern/protocol'

export class Gate {
  readonly #waiting: Wait[] = []
  readonly #waitingMax: number
  #free: number

  constructor({ places, waitingMax }: { places: number; waitingMax: number }) {
    this.#free = places
    this.#waitingMax = waitingMax
  }

  /** Throws `unavailable` when too many wait already. */
  async through<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#place()
    try {
      return await run()
    } finally {
      const next = this.#waiting.shift()
      if (next) next.resolve()
      else this.#free += 1
    }
  }

  #place(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) throw new CodedError('unavailable')
    const wait = new Wait()
    this.#waiting.push(wait)
    return wait.over
  }
}
