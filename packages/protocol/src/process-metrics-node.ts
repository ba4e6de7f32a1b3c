// The metrics of every process: memory, processor time, start time, and delay of the event loop.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { metricsLimits } from './limits.ts'
import { Gauge, type Metric } from './metrics.ts'

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

/** Named as Prometheus' own clients name them. `stop` ends the watch of the event loop. */
export function processMetrics(): { metrics: Metric[]; stop: () => void } {
  const startedSec = Math.floor(Date.now() / 1000 - process.uptime())
  const lag = new EventLoopLag()
  const metrics = [
    new Gauge({ name: 'process_resident_memory_bytes', help: 'Memory of the process.' }, () =>
      process.memoryUsage.rss(),
    ),
    new Gauge({ name: 'process_cpu_seconds_total', help: 'Time of the processor that was used.', grows: true }, () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / MICROSECONDS
    }),
    new Gauge({ name: 'process_start_time_seconds', help: 'When it was started.' }, () => startedSec),
    new Gauge(
      {
        name: 'nodejs_eventloop_lag_p99_seconds',
        help: 'How late the event loop was, of 99 in 100, since the last look.',
      },
      () => lag.p99(),
    ),
    new Gauge(
      { name: 'nodejs_eventloop_lag_max_seconds', help: 'How late the event loop was at most, since the last look.' },
      () => lag.maxSinceLastLook(),
    ),
  ]
  return { metrics, stop: () => lag.stop() }
}

/** Starts with the first request: without a scraper, nothing wakes an idle process fifty times a second. */
class EventLoopLag {
  #delay: IntervalHistogram | undefined

  p99(): number {
    const delay = this.#watched()
    return delay.count === 0 ? 0 : lateSec(delay.percentile(99))
  }

  /** Read it last: it restarts the measurement. */
  maxSinceLastLook(): number {
    const delay = this.#watched()
    const max = delay.count === 0 ? 0 : lateSec(delay.max)
    delay.reset()
    return max
  }

  stop(): void {
    this.#delay?.disable()
  }

  #watched(): IntervalHistogram {
    if (this.#delay) return this.#delay
    this.#delay = monitorEventLoopDelay({ resolution: metricsLimits.loopLookEveryMs })
    this.#delay.enable()
    return this.#delay
  }
}

/**
 * Node reports the time between two measurements; without the subtraction, an idle process would seem late by all of
 * it.
 */
const lateSec = (nanoseconds: number): number =>
  Math.max(0, nanoseconds / NANOSECONDS - metricsLimits.loopLookEveryMs / 1000)
