// Updates that nobody fetches: the oldest are dropped after a day, or when there are too many, and never in silence.
import type { Log, PassedTime } from '@postern/core'
import { type Clock, gatewayLimits, inBackground, Lane, logFault, Seldom, type Timer } from '@postern/protocol'
import type { Metrics } from '../metrics/metrics.ts'
import type { UpdateQueue } from './update-queue.ts'

export type RetentionOptions = {
  clock: Clock
  /** By which updates grow old: a clock that is set must not drop what nobody had a day to fetch. */
  passed: Pick<PassedTime, 'nowMs'>
  log: Log
  metrics: Metrics
  keepMax?: number
}

export class UpdateRetention {
  readonly #queue: UpdateQueue
  readonly #options: RetentionOptions
  readonly #unsubscribe: () => void
  readonly #faults: Seldom
  #timer: Timer
  #soon: Timer | undefined
  readonly #sweeps = new Lane()
  #unsaid = 0
  #saidAtMs = Number.NEGATIVE_INFINITY

  constructor(queue: UpdateQueue, options: RetentionOptions) {
    this.#queue = queue
    this.#options = options
    this.#faults = new Seldom(options.clock, gatewayLimits.faultSaidEveryMs)
    this.#unsubscribe = queue.onAppend(() => this.#sweepSoon())
    this.#timer = options.clock.setTimer(0, () => this.#sweepNow())
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#timer.cancel()
    this.#soon?.cancel()
    await this.#sweeps.idle()
  }

  #sweepSoon(): void {
    this.#soon ??= this.#options.clock.setTimer(gatewayLimits.updatesSweepAfterMs, () => {
      this.#soon = undefined
      this.#sweepInTurn()
    })
  }

  #sweepNow(): void {
    this.#timer = this.#options.clock.setTimer(gatewayLimits.updatesSweepEveryMs, () => this.#sweepNow())
    this.#sweepInTurn()
  }

  #sweepInTurn(): void {
    const sweeping = this.#sweeps.run(() => this.#sweep())
    inBackground(sweeping, { what: 'old updates could not be dropped', log: this.#options.log })
  }

  async #sweep(): Promise<void> {
    const { clock, passed, log, metrics, keepMax = gatewayLimits.updatesKeptMax } = this.#options
    try {
      const dropped = await this.#queue.drop({ olderThanTs: passed.nowMs() - gatewayLimits.updatesKeptMs, keepMax })
      metrics.updatesDropped.add('', dropped)
      this.#unsaid += dropped
    } catch (error) {
      const what = 'old updates could not be dropped; it is tried again'
      this.#faults.say(what, () => logFault(error, { what, log }))
    }
    if (this.#unsaid === 0 || clock.monotonicMs() - this.#saidAtMs < gatewayLimits.updatesDroppedLogEveryMs) return
    log.warn({ dropped: this.#unsaid }, 'updates were dropped: nobody fetched them for a day, or too many waited')
    this.#unsaid = 0
    this.#saidAtMs = clock.monotonicMs()
  }
}
