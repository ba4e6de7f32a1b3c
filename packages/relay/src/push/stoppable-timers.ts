// Timers that end with their owner: none outlives a relay that has stopped.
import { type Clock, Deferred, type Timer } from '@postern/protocol'

export class StoppableTimers {
  readonly #clock: Clock
  readonly #timers = new Set<Timer>()
  #isStopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Does nothing after `stop`: work that was under way then may still ask for a timer. */
  after(ms: number, run: () => void): void {
    if (this.#isStopped) return
    const timer = this.#clock.setTimer(ms, () => {
      this.#timers.delete(timer)
      run()
    })
    this.#timers.add(timer)
  }

  async pause(ms: number, signal: AbortSignal): Promise<void> {
    const wait = new Deferred()
    wait.after(this.#clock, ms, () => wait.resolve())
    wait.onAbort(signal, () => wait.resolve())
    await wait.promise
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
  }
}
