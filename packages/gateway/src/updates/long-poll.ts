// Long polling: an answer as soon as there is an update, when the time is up, when the caller is gone, or at the stop.
import { Bell, type Clock, gatewayLimits, tooMany, utf8, Wait } from '@postern/protocol'
import type { Caller } from '../caller.ts'
import type { UpdateQueue } from '../queue/update-queue.ts'

export type Poll = { offset: number; limit: number; timeoutMs: number }
/** Looked at only where there is something to wait for: a signal costs more than the answer. */
export type Poller = Pick<Caller, 'gone'>

const none = utf8('[]')
const pollers = { max: gatewayLimits.pollersMax, what: 'long polls are waiting' }

export class LongPoll {
  readonly #queue: UpdateQueue
  readonly #clock: Clock
  /** Rings when there may be something to answer with. */
  readonly #bell = new Bell()
  readonly #unsubscribe: () => void
  #isReleased = false

  constructor(queue: UpdateQueue, clock: Clock) {
    this.#queue = queue
    this.#clock = clock
    this.#unsubscribe = queue.onAppend(() => this.#bell.ring())
  }

  /** The JSON array of updates. Confirms first, so that what was confirmed is not shown again even after a crash. */
  async answer({ offset, limit, timeoutMs }: Poll, caller: Poller): Promise<Uint8Array> {
    if (timeoutMs > 0 && this.#queue.isEmptyFrom(offset)) await this.#queue.confirmAll()
    else await this.#queue.confirmBelow(offset)
    const endsAtMs = this.#clock.monotonicMs() + timeoutMs
    for (;;) {
      const updates = this.#queue.readJson({ limit })
      const leftMs = endsAtMs - this.#clock.monotonicMs()
      if (updates || leftMs <= 0 || this.#isReleased || caller.gone.aborted) {
        await this.#queue.durable()
        return updates ?? none
      }
      await this.#wait(leftMs, caller.gone)
    }
  }

  /** What an answer would be now. */
  peek({ offset, limit }: Omit<Poll, 'timeoutMs'>): Uint8Array {
    return this.#queue.readJson({ offset, limit }) ?? none
  }

  /** Answers everybody with what there is; who comes later does not wait. */
  release(): void {
    this.#isReleased = true
    this.#unsubscribe()
    this.#bell.ring()
  }

  async #wait(forMs: number, gone: AbortSignal): Promise<void> {
    if (this.#bell.listenerCount >= gatewayLimits.pollersMax) throw tooMany(pollers)
    const woken = new Wait()
    const wake = () => woken.resolve()
    woken.after(this.#clock, forMs, wake)
    woken.onAbort(gone, wake)
    woken.onOver(this.#bell.listen(wake))
    await woken.over
  }
}
