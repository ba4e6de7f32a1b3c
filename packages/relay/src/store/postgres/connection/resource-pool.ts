// Hands out a few things to many who ask: each to one at a time, in the order of their coming, and only so many may wait.
import { CodedError, Deferred } from '@postern/protocol'

export class ResourcePool<Item> {
  readonly #free: Item[]
  readonly #waitingMax: number
  readonly #waiting: Deferred<Item>[] = []

  constructor(items: readonly Item[], { waitingMax }: { waitingMax: number }) {
    this.#free = [...items]
    this.#waitingMax = waitingMax
  }

  /** Throws `unavailable` when too many wait already. */
  async use<T>(run: (item: Item) => Promise<T>): Promise<T> {
    const item = this.#free.pop() ?? (await this.#wait())
    try {
      return await run(item)
    } finally {
      const next = this.#waiting.shift()
      if (next) next.resolve(item)
      else this.#free.push(item)
    }
  }

  #wait(): Promise<Item> {
    if (this.#waiting.length >= this.#waitingMax) throw new CodedError('unavailable')
    const wait = new Deferred<Item>()
    this.#waiting.push(wait)
    return wait.promise
  }
}
