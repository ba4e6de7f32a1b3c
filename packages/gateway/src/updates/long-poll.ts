// Long polling: answers when there is an update, when the time is up, when the caller is gone, or at the stop.
import { type Clock, gatewayLimits, utf8 } from '@postern/protocol'
import type { HttpCaller } from '../caller.ts'
import type { UpdateQueue } from '../queue/update-queue.ts'
import { UpdateWaits } from './update-waits.ts'

export type PollOptions = { offset: number; limit: number; timeoutMs: number }
/** Used only when there is something to wait for: a signal costs more than the answer. */
export type PollCaller = Pick<HttpCaller, 'gone'>

/** A queue as a poll sees it: the one without a name, a part of it, or that of a named reader. */
export type PolledQueue = Pick<UpdateQueue, 'isEmptyFrom' | 'confirmAll' | 'confirmBelow' | 'durable' | 'readJson'> & {
  /** Passes updates of types that the caller does not read. */
  passOthers?: () => Promise<void>
}

const none = utf8('[]')
const pollers = { max: gatewayLimits.pollersMax, what: 'long polls are waiting' }

export class LongPoll {
  readonly #queue: PolledQueue
  readonly #clock: Clock
  readonly #waits: UpdateWaits

  constructor(queue: PolledQueue, clock: Clock, waits: UpdateWaits) {
    this.#queue = queue
    this.#clock = clock
    this.#waits = waits
  }

  /** For the queue without a name, whose callers have places of their own. */
  static over(queue: UpdateQueue, clock: Clock): LongPoll {
    return new LongPoll(queue, clock, new UpdateWaits(queue, { ...pollers, clock }))
  }

  /** The same callers and places, for a part of the queue. */
  of(queue: PolledQueue): LongPoll {
    return new LongPoll(queue, this.#clock, this.#waits)
  }

  /** The JSON array of updates. Confirms first, so that confirmed updates are not shown again even after a crash. */
  async answer({ offset, limit, timeoutMs }: PollOptions, caller: PollCaller): Promise<Uint8Array> {
    if (timeoutMs > 0 && this.#queue.isEmptyFrom(offset)) await this.#queue.confirmAll()
    else await this.#queue.confirmBelow(offset)
    const updates = await this.next({ limit, timeoutMs }, caller)
    await this.#queue.durable()
    return updates
  }

  /** The same without confirming anything. */
  async next({ limit, timeoutMs }: Omit<PollOptions, 'offset'>, caller: PollCaller): Promise<Uint8Array> {
    const endsAtMs = this.#clock.monotonicMs() + timeoutMs
    for (;;) {
      if (this.#queue.passOthers) await this.#queue.passOthers()
      const updates = this.#queue.readJson({ limit })
      const leftMs = endsAtMs - this.#clock.monotonicMs()
      if (updates || leftMs <= 0 || this.#waits.isReleased || caller.gone.aborted) return updates ?? none
      await this.#wait(leftMs, caller.gone)
    }
  }

  /** The answer at this moment. */
  peek({ offset, limit }: Omit<PollOptions, 'timeoutMs'>): Uint8Array {
    return this.#queue.readJson({ offset, limit }) ?? none
  }

  /** Answers every waiting poll with the current updates; later polls do not wait. */
  release(): void {
    this.#waits.release()
  }

  async #wait(forMs: number, gone: AbortSignal): Promise<void> {
    const leave = this.#waits.take()
    try {
      await this.#waits.next(forMs, gone)
    } finally {
      leave()
    }
  }
}
