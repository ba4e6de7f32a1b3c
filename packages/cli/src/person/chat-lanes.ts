// The order of commands in one chat: sends overlap each other and stay in order, everything else has the chat to itself.

type Lane = {
  /** Settles when the last command that wants the chat to itself is through. */
  alone: Promise<unknown>
  /** Sends that came after it. */
  sends: Set<Promise<unknown>>
  /** Commands that are not through: at none the lane is forgotten. */
  open: number
}

export class ChatLanes {
  readonly #lanes = new Map<string, Lane>()

  /** Begins in the order of the calls, so that texts written one after the other are sent one after the other. */
  send<T>(chat: string, task: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(chat)
    const result = lane.alone.then(task)
    const settled = this.#settled(chat, result)
    lane.sends.add(settled)
    const over = () => lane.sends.delete(settled)
    settled.then(over, over)
    return result
  }

  alone<T>(chat: string, task: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(chat)
    const result = Promise.all([lane.alone, ...lane.sends]).then(task)
    lane.alone = this.#settled(chat, result)
    lane.sends = new Set()
    return result
  }

  #laneOf(chat: string): Lane {
    const lane = this.#lanes.get(chat) ?? { alone: Promise.resolve(), sends: new Set(), open: 0 }
    this.#lanes.set(chat, lane)
    lane.open++
    return lane
  }

  /** Whatever became of a command, the next one has its turn. */
  async #settled(chat: string, result: Promise<unknown>): Promise<void> {
    await Promise.allSettled([result])
    const lane = this.#lanes.get(chat)
    if (lane && --lane.open === 0) this.#lanes.delete(chat)
  }
}
