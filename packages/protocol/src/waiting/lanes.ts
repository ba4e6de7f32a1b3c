// One at a time per key, in the order of the calls.

export class Lanes<Key> {
  readonly #tails = new Map<Key, Promise<unknown>>()

  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const turn = (this.#tails.get(key) ?? Promise.resolve()).then(work)
    const tail = turn.catch(() => undefined)
    this.#tails.set(key, tail)
    try {
      return await turn
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    }
  }

  isBusy(key: Key): boolean {
    return this.#tails.has(key)
  }
}
