// Long polling: an answer as soon as there is an update, when the time is up, when the caller is gone, or at the stop.
import { type Clock, CodedError, gatewayLimits } from '@postern/protocol'
import type { QueuedUpdate, UpdateQueue } from './update-queue.ts'

export type Poll = { offset: number; limit: number; timeoutMs: number }

export class LongPoll {
  readonly #queue: UpdateQueue
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  readonly #unsubscribe: () => void
  #isReleased = false

  constructor(queue: UpdateQueue, clock: Clock) {
    this.#queue = queue
    this.#clock = clock
    this.#unsubscribe = queue.onAppend(() => this.#wakeAll())
  }

  /** The JSON array of updates. Confirms first, so that what was confirmed is not shown again even after a crash. */
  async answer({ offset, limit, timeoutMs }: Poll, gone: AbortSignal): Promise<string> {
    await this.#queue.confirmBelow(offset)
    const endsAtMs = this.#clock.monotonicMs() + timeoutMs
    for (;;) {
      const updates = this.#queue.read(limit)
      const leftMs = endsAtMs - this.#clock.monotonicMs()
      if (updates.length > 0 || leftMs <= 0 || gone.aborted || this.#isReleased) return jsonOf(updates)
      await this.#wait(leftMs, gone)
    }
  }

  /** What an answer would be now. */
  peek({ offset, limit }: Omit<Poll, 'timeoutMs'>): string {
    return jsonOf(this.#queue.readFrom(offset, limit))
  }

  /** Answers everybody with what there is; who comes later does not wait. */
  release(): void {
    this.#isReleased = true
    this.#unsubscribe()
    this.#wakeAll()
  }

  async #wait(forMs: number, gone: AbortSignal): Promise<void> {
    if (this.#waiting.size >= gatewayLimits.pollersMax)
      throw new CodedError('rate-limited', { what: `${gatewayLimits.pollersMax} long polls are waiting` })
    const woken = Promise.withResolvers<void>()
    const timer = this.#clock.setTimer(forMs, woken.resolve)
    this.#waiting.add(woken.resolve)
    gone.addEventListener('abort', () => woken.resolve(), { once: true })
    await woken.promise
    this.#waiting.delete(woken.resolve)
    timer.cancel()
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake()
  }
}

const jsonOf = (updates: readonly QueuedUpdate[]): string => `[${updates.map(({ json }) => json).join(',')}]`
