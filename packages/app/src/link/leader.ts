// The page that holds the lock: it runs the core's worker, and starts another when that one dies.
import type { Timer } from '@postern/protocol'
import type { ToCore, ToPage } from '../contract/messages.ts'
import type { CoreWorker, LinkEnvironment } from './environment.ts'
import { linkLimits } from './link-limits.ts'

export type LeaderEvents = {
  hear(message: ToPage): void
  /** The worker is gone, and another one is started. `failures` in a row, without a worker that lasted. */
  restarting(failures: number): void
}

export class LeaderPage {
  readonly #around: LinkEnvironment
  readonly #events: LeaderEvents
  #worker: CoreWorker | undefined
  #timer: Timer | undefined
  #failures = 0
  #startedMs = 0
  #unanswered = 0

  constructor(around: LinkEnvironment, events: LeaderEvents) {
    this.#around = around
    this.#events = events
    this.#startWorker()
  }

  post(message: ToCore): void {
    this.#worker?.postMessage(message)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#worker?.terminate()
    this.#worker = undefined
  }

  #startWorker(): void {
    const worker = this.#around.startWorker({
      hear: message => worker === this.#worker && this.#hear(message),
      fail: () => worker === this.#worker && this.#restart(),
    })
    this.#worker = worker
    this.#startedMs = this.#around.clock.monotonicMs()
    this.#unanswered = 0
  }

  #hear(message: ToPage): void {
    this.#unanswered = 0
    // Not before: a script that loads slowly is not a dead worker.
    if (message.kind === 'ready') this.#pingLater()
    this.#events.hear(message)
  }

  #restart(): void {
    this.stop()
    const { clock } = this.#around
    if (clock.monotonicMs() - this.#startedMs > linkLimits.steadyMs) this.#failures = 0
    const pauseMs = this.#failures === 0 ? 0 : linkLimits.restartPauseMs * 2 ** this.#failures
    this.#failures += 1
    this.#events.restarting(this.#failures)
    this.#timer = clock.setTimer(Math.min(pauseMs, linkLimits.restartPauseMsMax), () => this.#startWorker())
  }

  #pingLater(): void {
    this.#timer?.cancel()
    this.#timer = this.#around.clock.setTimer(linkLimits.leaderPingMs, () => this.#ping())
  }

  /** Counted, not timed: after a sleep of the machine, the answer comes right after a timer that is long due. */
  #ping(): void {
    if (!this.#around.isVisible()) this.#unanswered = 0
    else if (this.#unanswered >= linkLimits.silentPingsMax) return this.#restart()
    else this.#unanswered += 1
    this.post({ kind: 'ping', id: 0 })
    this.#pingLater()
  }
}
