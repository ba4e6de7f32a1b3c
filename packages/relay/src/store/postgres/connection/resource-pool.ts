// Hands out a few items to many callers: each item to one at a time, in the order of requests, with a limited queue.
import { CodedError, Deferred } from '@postern/protocol'
import { goneRefusal } from './gone-refusal.ts'

export class ResourcePool<Item> {
  readonly #free: Item[]
  readonly #waitingMax: number
  /** In the order of requests, without callers that have disconnected. */
  readonly #waiting = new Set<Deferred<Item>>()

  constructor(items: readonly Item[], { waitingMax }: { waitingMax: number }) {
    this.#free = [...items]
    this.#waitingMax = waitingMax
  }

  /** Throws `unavailable` if too many callers wait. A caller that disconnects before its turn gets no item. */
  async use<T>(run: (item: Item) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw goneRefusal()
    const item = this.#free.pop() ?? (await this.#wait(signal))
    try {
      return await run(item)
    } finally {
      const [next] = this.#waiting
      if (next) next.resolve(item)
      else this.#free.push(item)
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<Item> {
    if (this.#waiting.size >= this.#waitingMax) throw new CodedError('unavailable')
    const wait = new Deferred<Item>()
    this.#waiting.add(wait)
    wait.onSettled(() => this.#waiting.delete(wait))
    if (signal) wait.onAbort(signal, () => wait.reject(goneRefusal()))
    return wait.promise
  }
}
