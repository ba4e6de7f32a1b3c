// Long polling: answers when there is an update, when the time is up, when the caller is gone, or at the stop.
import { type Clock, Deferred, gatewayLimits, Notifier, tooMany, utf8 } from '@postern/protocol'
import type { HttpCaller } from '../caller.ts'
import type { UpdateQueue } from '../queue/update-queue.ts'

export type PollOptions = { offset: number; limit: number; timeoutMs: number }
/** Used only when there is something to wait for: a signal costs more than the answer. */
export type PollCaller = Pick<HttpCaller, 'gone'>

const none = utf8('[]')
const pollers = { max: gatewayLimits.pollersMax, what: 'long polls are waiting' }

export class LongPoll {
  readonly #queue: UpdateQueue
  readonly #clock: Clock
  /** Notified when there may be something to answer with. */
  readonly #notifier = new Notifier()
  readonly #unsubscribe: () => void
  #isReleased = false

  constructor(queue: UpdateQueue, clock: Clock) {
    this.#queue = queue
    this.#clock = clock
    this.#unsubscribe = queue.onAppend(() => this.#notifier.notify())
  }

  /** The JSON array of updates. Confirms first, so that confirmed updates are not shown again even after a crash. */
  async answer({ offset, limit, timeoutMs }: PollOptions, caller: PollCaller): Promise<Uint8Array> {
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

  /** The answer at this moment. */
  peek({ offset, limit }: Omit<PollOptions, 'timeoutMs'>): Uint8Array {
    return this.#queue.readJson({ offset, limit }) ?? none
  }

  /** Answers every waiting poll with the current updates; later polls do not wait. */
  release(): void {
    this.#isReleased = true
    this.#unsubscribe()
    this.#notifier.notify()
  }

  async #wait(forMs: number, gone: AbortSignal): Promise<void> {
    if (this.#notifier.listenerCount >= gatewayLimits.pollersMax) throw tooMany(pollers)
    const woken = new Deferred()
    const wake = () => woken.resolve()
    woken.after(this.#clock, forMs, wake)
    woken.onAbort(gone, wake)
    woken.onSettled(this.#notifier.listen(wake))
    await woken.promise
  }
}
