// Runs work in the order of the calls, exclusively or shared. A failure does not block the work after it.
import { type LimitOptions, tooMany } from './concurrency-limit.ts'

/** `limit`: the maximum in one lane, including the running one; the next is refused. */
export type QueueOptions = { limit?: LimitOptions | undefined; onIdle?: () => void }

export class SerialQueue {
  readonly #options: QueueOptions
  /** Settles when the last exclusive work has finished. */
  #alone: Promise<unknown> = Promise.resolve()
  /** Shared work after it: most lanes are never shared, and there is one for every message. */
  #sharing: Set<Promise<unknown>> | undefined
  #open = 0

  constructor(options: QueueOptions = {}) {
    this.#options = options
  }

  get isBusy(): boolean {
    return this.#open > 0
  }

  /** Begins when all earlier work has finished, and runs exclusively. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const { limit } = this.#options
    if (limit && this.#open >= limit.max) return Promise.reject(tooMany(limit))
    const before = this.#sharing?.size ? Promise.all([this.#alone, ...this.#sharing]) : this.#alone
    this.#sharing = undefined
    const turn = before.then(work)
    const over = () => this.#leave()
    this.#open++
    this.#alone = turn.then(over, over)
    return turn
  }

  /** Begins in the order of the calls, alongside other shared work. */
  runShared<T>(work: () => Promise<T>): Promise<T> {
    this.#sharing ??= new Set()
    const sharing = this.#sharing
    const turn = this.#alone.then(work)
    const over = () => {
      sharing.delete(through)
      this.#leave()
    }
    this.#open++
    const through = turn.then(over, over)
    sharing.add(through)
    return turn
  }

  /** Resolves when no work is running. */
  async idle(): Promise<void> {
    while (this.isBusy) await Promise.all([this.#alone, ...(this.#sharing ?? [])])
  }

  #leave(): void {
    this.#open--
    if (this.#open === 0) this.#options.onIdle?.()
  }
}

/** A lane for each key. An idle lane is forgotten. */
export class KeyedQueue<Key> {
  readonly #lanes = new Map<Key, SerialQueue>()
  readonly #limit: LimitOptions | undefined

  constructor(limit?: LimitOptions) {
    this.#limit = limit
  }

  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.#laneOf(key).run(work)
  }

  runShared<T>(key: Key, work: () => Promise<T>): Promise<T> {
    return this.#laneOf(key).runShared(work)
  }

  isBusy(key: Key): boolean {
    return this.#lanes.has(key)
  }

  /** Resolves when no lane has running work. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all([...this.#lanes.values()].map(lane => lane.idle()))
  }

  #laneOf(key: Key): SerialQueue {
    const known = this.#lanes.get(key)
    if (known) return known
    const lane = new SerialQueue({ limit: this.#limit, onIdle: () => this.#lanes.delete(key) })
    this.#lanes.set(key, lane)
    return lane
  }
}
