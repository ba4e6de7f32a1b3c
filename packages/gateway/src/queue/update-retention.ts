// Drops the oldest updates that nobody fetches, after a day or above a number, and logs it.
import type { DroppedCounts, ElapsedClock, Log } from '@postern/core'
import {
  type Clock,
  gatewayLimits,
  inBackground,
  LogThrottle,
  logFault,
  SerialQueue,
  type Timer,
} from '@postern/protocol'
import type { Counter } from '@postern/protocol/metrics'
import type { Metrics } from '../metrics/metrics.ts'
import type { UpdateQueue } from './update-queue.ts'

export type RetentionOptions = {
  clock: Clock
  /** The clock for the age of updates: setting the machine's clock must not drop updates that nobody had a day to fetch. */
  elapsed: Pick<ElapsedClock, 'nowMs'> & Partial<Pick<ElapsedClock, 'offMs'>>
  log: Log
  metrics: Metrics
  keepMax?: number
  /** Counts the dropped updates; by default with those of the queue without a name. */
  counter?: Counter
  said?: string
}

export type DroppableQueue = Pick<UpdateQueue, 'drop' | 'onAppend'>

export class UpdateRetention {
  readonly #queue: DroppableQueue
  readonly #options: RetentionOptions
  readonly #unsubscribe: () => void
  readonly #faults: LogThrottle
  #timer: Timer
  #soon: Timer | undefined
  readonly #sweeps = new SerialQueue()
  #unsaid: DroppedCounts = { tooOld: 0, tooMany: 0 }
  #saidAtMs = Number.NEGATIVE_INFINITY

  constructor(queue: DroppableQueue, options: RetentionOptions) {
    this.#queue = queue
    this.#options = options
    this.#faults = new LogThrottle(options.clock, gatewayLimits.faultSaidEveryMs)
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
    inBackground(sweeping, { what: 'old updates not dropped', log: this.#options.log })
  }

  async #sweep(): Promise<void> {
    const { clock, elapsed, log, metrics, keepMax = gatewayLimits.updatesKeptMax } = this.#options
    const { counter = metrics.updatesDropped, said = 'updates dropped: not fetched in time' } = this.#options
    try {
      const dropped = await this.#queue.drop({ olderThanTs: elapsed.nowMs() - gatewayLimits.updatesKeptMs, keepMax })
      counter.add('', dropped.tooOld + dropped.tooMany)
      this.#unsaid = {
        tooOld: this.#unsaid.tooOld + dropped.tooOld,
        tooMany: this.#unsaid.tooMany + dropped.tooMany,
      }
    } catch (error) {
      const what = 'old updates not dropped; will retry'
      this.#faults.say(what, () => logFault(error, { what, log }))
    }
    const { tooOld, tooMany } = this.#unsaid
    const isSaid = clock.monotonicMs() - this.#saidAtMs < gatewayLimits.updatesDroppedLogEveryMs
    if (tooOld + tooMany === 0 || isSaid) return
    // Two clocks that were both wrong look like a gateway that was off: the log line lets the operator tell.
    const offMs = tooOld > 0 ? elapsed.offMs : undefined
    log.warn({ dropped: tooOld + tooMany, tooOld, tooMany, ...(offMs && { offMs }) }, said)
    this.#unsaid = { tooOld: 0, tooMany: 0 }
    this.#saidAtMs = clock.monotonicMs()
  }
}
