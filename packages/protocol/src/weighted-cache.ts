// An LRU cache with a maximum total weight.

export class WeightedCache<Key, Value> {
  readonly #held = new Map<Key, { value: Value; weight: number }>()
  readonly #weightMax: number
  #weight = 0

  constructor(weightMax: number) {
    this.#weightMax = weightMax
  }

  get isEmpty(): boolean {
    return this.#held.size === 0
  }

  get(key: Key): Value | undefined {
    const held = this.#held.get(key)
    if (!held) return undefined
    this.#held.delete(key)
    this.#held.set(key, held)
    return held.value
  }

  set(key: Key, value: Value, weight: number): void {
    this.delete(key)
    this.#held.set(key, { value, weight })
    this.#weight += weight
    for (const [oldest] of this.#held) {
      // The newest stays even if it alone exceeds the limit: its caller is about to use it.
      if (this.#weight <= this.#weightMax || oldest === key) return
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    this.#weight -= this.#held.get(key)?.weight ?? 0
    this.#held.delete(key)
  }

  clear(): void {
    this.#held.clear()
    this.#weight = 0
  }
}
