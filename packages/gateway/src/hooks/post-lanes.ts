// Posts to one hook in the order of their arrival, one at a time; a queue that is full turns the next one away.
import { CodedError, hookLimits } from '@postern/protocol'

type Lane = { tail: Promise<void>; waiting: number }

export class PostLanes {
  readonly #lanes = new Map<string, Lane>()

  async run<T>(hook: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(hook) ?? { tail: Promise.resolve(), waiting: 0 }
    if (lane.waiting >= hookLimits.waitingMax)
      throw new CodedError('rate-limited', { what: `${hookLimits.waitingMax} posts to this hook are waiting` })
    this.#lanes.set(hook, lane)
    lane.waiting++
    const turn = lane.tail.then(work)
    lane.tail = turn.then(
      () => undefined,
      () => undefined,
    )
    try {
      return await turn
    } finally {
      lane.waiting--
      if (lane.waiting === 0) this.#lanes.delete(hook)
    }
  }

  /** Resolves when nobody is at work any more. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all([...this.#lanes.values()].map(({ tail }) => tail))
  }
}
