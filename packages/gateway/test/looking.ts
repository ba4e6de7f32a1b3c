// Time that passes from one look for problems to the next: each look ends while the clock stands still.
import { setTimeout as pause } from 'node:timers/promises'
import { ownerNoticeLimits } from '@postern/protocol'
import type { ManualClock, TestGateway } from '@postern/testkit'

const { lookEveryMs } = ownerNoticeLimits

export class Looks {
  readonly #clock: ManualClock
  /** When the next look begins; it runs, or has not begun, once that time is reached. */
  #dueMs = 0

  constructor(clock: ManualClock) {
    this.#clock = clock
  }

  /** This many looks, whether the gateway is online or not. */
  async pass(count: number): Promise<void> {
    for (let left = count; left > 0; left--) {
      await this.#whenWaiting()
      this.#clock.leap(this.#dueMs - this.#clock.monotonicMs())
    }
    await this.#whenWaiting()
  }

  /** Looks pass until the work is done; a connection that is lost meanwhile has the time to come back. */
  async until<T>({ client }: TestGateway, work: Promise<T>): Promise<T> {
    const state = { isOver: false }
    const over = () => {
      state.isOver = true
    }
    work.then(over, over)
    for (await pause(1); !state.isOver; await pause(1)) {
      const isWaiting = this.#isWaiting()
      if (!client.isOnline) this.#clock.advance(100)
      else if (isWaiting) this.#clock.leap(this.#dueMs - this.#clock.monotonicMs())
    }
    return await work
  }

  #isWaiting(): boolean {
    if (this.#clock.isAwaited(lookEveryMs)) this.#dueMs = this.#clock.monotonicMs() + lookEveryMs
    return this.#dueMs > this.#clock.monotonicMs()
  }

  async #whenWaiting(): Promise<void> {
    while (!this.#isWaiting()) await pause(1)
  }
}
