// The gateway's metrics. docs/operating.md explains each.
import { Counter, Gauge, Histogram, type Metric, type MetricShape, renderMetrics } from '@postern/protocol/metrics'

/** In seconds: from a relay on the same machine to a relay that does not answer. */
const SEND_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2, 10]

export class Metrics {
  readonly sends = new Counter(
    { name: 'postern_sends_total', help: 'Requests that send, by what became of them.', label: 'outcome' },
    ['sent', 'refused', 'unavailable', 'failed'],
  )
  readonly sendSeconds = new Histogram(
    {
      name: 'postern_send_seconds',
      help: 'How long it took until the relay had what was sent, files and new groups aside.',
    },
    SEND_BOUNDS,
  )
  readonly fileBytes = new Counter(
    {
      name: 'postern_file_bytes_total',
      help: 'Bytes of files, from the operator and to the operator.',
      label: 'direction',
    },
    ['up', 'down'],
  )
  readonly updatesDropped = new Counter({
    name: 'postern_updates_dropped_total',
    help: 'Updates that were dropped because nobody fetched them in time.',
  })
  readonly readerUpdatesDropped = new Counter({
    name: 'postern_reader_updates_dropped_total',
    help: 'Updates that were dropped because a named reader did not confirm them in time.',
  })
  readonly webhookAttempts = new Counter(
    { name: 'postern_webhook_attempts_total', help: 'Attempts to deliver an update.', label: 'outcome' },
    ['delivered', 'failed'],
  )
  readonly hookPosts = new Counter(
    { name: 'postern_hook_posts_total', help: 'Posts to hooks, by what became of them.', label: 'outcome' },
    ['written', 'silent', 'refused', 'unavailable', 'failed'],
  )
  readonly #all: Metric[] = [
    this.sends,
    this.sendSeconds,
    this.fileBytes,
    this.updatesDropped,
    this.readerUpdatesDropped,
    this.webhookAttempts,
    this.hookPosts,
  ]

  /** Read at each scrape. An unknown value is left out, and an unreadable one is NaN. */
  addGauge(shape: MetricShape, read: () => number | undefined): void {
    this.#all.push(new Gauge(shape, () => orNaN(read) ?? {}))
  }

  add(metrics: readonly Metric[]): void {
    this.#all.push(...metrics)
  }

  render(): string {
    return renderMetrics(this.#all)
  }
}

/** On a dead disk the other metrics are still needed: one that reads the disk must not prevent them. */
function orNaN(read: () => number | undefined): number | undefined {
  try {
    return read()
  } catch {
    return Number.NaN
  }
}
