// Which updates are finished, and which one is the lowest that is not: everything below it may be confirmed.

export class Progress {
  readonly #unfinished = new Set<number>()
  #next = 0

  /** A page begins with the lowest unfinished update, so it repeats those that were begun before. */
  isNew(id: number): boolean {
    return id >= this.#next
  }

  begin(id: number): void {
    this.#unfinished.add(id)
    this.#next = id + 1
  }

  finish(id: number): void {
    this.#unfinished.delete(id)
  }

  get offset(): number {
    let lowest = this.#next
    for (const id of this.#unfinished) lowest = Math.min(lowest, id)
    return lowest
  }
}

/** Work in lanes: one after the other in a lane, and lanes side by side. */
export class Lanes {
  readonly #tails = new Map<string, Promise<void>>()

  /** `work` must not throw. */
  add(lane: string, work: () => Promise<void>): void {
    const tail = (this.#tails.get(lane) ?? Promise.resolve()).then(work).then(() => {
      if (this.#tails.get(lane) === tail) this.#tails.delete(lane)
    })
    this.#tails.set(lane, tail)
  }

  get isIdle(): boolean {
    return this.#tails.size === 0
  }

  async whenIdle(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#tails.values())
  }
}
