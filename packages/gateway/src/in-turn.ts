// One change after the other, in the order of the calls: for what is written in more than one step, or counted before.

export class InTurn {
  #last: Promise<unknown> = Promise.resolve()

  async run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return await turn
  }
}
