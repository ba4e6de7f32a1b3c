// The gateway's figures, in the text format of Prometheus.

type MetricKind = 'counter' | 'gauge'
type Shape = { name: string; help: string; label?: string }

/** A count that only grows, one for each value of its label. */
export class Counter {
  readonly shape: Shape
  readonly kind: MetricKind = 'counter'
  readonly #counts = new Map<string, number>()

  constructor(shape: Shape, labelValues: readonly string[] = ['']) {
    this.shape = shape
    // From the start, so that a first event shows as a rise.
    for (const value of labelValues) this.#counts.set(value, 0)
  }

  add(labelValue: string, by = 1): void {
    this.#counts.set(labelValue, (this.#counts.get(labelValue) ?? 0) + by)
  }

  samples(): [string, number][] {
    return [...this.#counts]
  }
}

/** A figure that is read when the metrics are asked for. */
class Gauge {
  readonly shape: Shape
  readonly kind: MetricKind = 'gauge'
  readonly #read: () => number

  constructor(shape: Shape, read: () => number) {
    this.shape = shape
    this.#read = read
  }

  samples(): [string, number][] {
    return [['', this.#read()]]
  }
}

export class Metrics {
  readonly sends = new Counter(
    { name: 'postern_sends_total', help: 'Requests that send, by what became of them.', label: 'outcome' },
    ['sent', 'refused', 'unavailable', 'failed'],
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
  readonly webhookAttempts = new Counter(
    { name: 'postern_webhook_attempts_total', help: 'Attempts to deliver an update.', label: 'outcome' },
    ['delivered', 'failed'],
  )
  readonly hookPosts = new Counter(
    { name: 'postern_hook_posts_total', help: 'Posts to hooks, by what became of them.', label: 'outcome' },
    ['written', 'silent', 'refused', 'unavailable', 'failed'],
  )
  readonly #all: (Counter | Gauge)[] = [
    this.sends,
    this.fileBytes,
    this.updatesDropped,
    this.webhookAttempts,
    this.hookPosts,
  ]

  addGauge(shape: Shape, read: () => number): void {
    this.#all.push(new Gauge(shape, read))
  }

  render(): string {
    return this.#all.map(renderOne).join('')
  }
}

function renderOne(metric: Counter | Gauge): string {
  const { name, help, label } = metric.shape
  const lines = metric
    .samples()
    .map(([value, count]) => `${name}${label === undefined ? '' : `{${label}="${value}"}`} ${count}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${metric.kind}\n${lines.join('')}`
}
