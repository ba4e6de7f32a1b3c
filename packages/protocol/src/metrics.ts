// Metrics of a process in the text format of Prometheus.

export type MetricShape = { name: string; help: string; label?: string }
type MetricKind = 'counter' | 'gauge' | 'histogram'
type Sample = { suffix: string; labels: Readonly<Record<string, string>>; value: number }

export interface Metric {
  readonly shape: MetricShape
  readonly kind: MetricKind
  samples(): Sample[]
}

/** A count that only grows, one for each value of its label. */
export class Counter implements Metric {
  readonly shape: MetricShape
  readonly kind = 'counter'
  readonly #counts = new Map<string, number>()

  constructor(shape: MetricShape, labelValues: readonly string[] = shape.label === undefined ? [''] : []) {
    this.shape = shape
    // From the start, so that a first event shows as a rise.
    for (const value of labelValues) this.#counts.set(value, 0)
  }

  add(labelValue = '', by = 1): void {
    this.#counts.set(labelValue, (this.#counts.get(labelValue) ?? 0) + by)
  }

  /** The sum over all label values, or the count of one. */
  total(labelValue?: string): number {
    if (labelValue !== undefined) return this.#counts.get(labelValue) ?? 0
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  samples(): Sample[] {
    return [...this.#counts].map(([value, count]) => sampleOf(this.shape, value, count))
  }
}

/** A value that is read when the metrics are scraped; with a label, one for each of its values. */
export class Gauge implements Metric {
  readonly shape: MetricShape
  readonly kind: 'counter' | 'gauge'
  readonly #read: () => number | Readonly<Record<string, number>>

  constructor(shape: MetricShape & { grows?: true }, read: () => number | Readonly<Record<string, number>>) {
    this.shape = shape
    this.kind = shape.grows ? 'counter' : 'gauge'
    this.#read = read
  }

  samples(): Sample[] {
    const found = this.#read()
    if (typeof found === 'number') return [sampleOf(this.shape, '', found)]
    return Object.entries(found).map(([value, count]) => sampleOf(this.shape, value, count))
  }
}

/** How often something took up to each of the bounds. */
export class Histogram implements Metric {
  readonly shape: MetricShape
  readonly kind = 'histogram'
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  /** `bounds` are ascending; values above all of them are counted as well. */
  constructor(shape: MetricShape, bounds: readonly number[]) {
    this.shape = shape
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    const at = this.#bounds.findIndex(bound => value <= bound)
    const place = at === -1 ? this.#bounds.length : at
    this.#counts[place] = (this.#counts[place] ?? 0) + 1
    this.#sum += value
  }

  /** Starts a measurement; call the returned function at its end. In seconds. */
  begin(): () => void {
    const begunMs = stopwatchMs()
    return () => this.observe((stopwatchMs() - begunMs) / 1000)
  }

  samples(): Sample[] {
    let count = 0
    const buckets = [...this.#bounds, '+Inf'].map((bound, at) => {
      count += this.#counts[at] ?? 0
      return { suffix: '_bucket', labels: { le: String(bound) }, value: count }
    })
    return [
      ...buckets,
      { suffix: '_sum', labels: {}, value: this.#sum },
      { suffix: '_count', labels: {}, value: count },
    ]
  }
}

// oxlint-disable-next-line no-restricted-globals, no-restricted-properties -- finer than a clock that is handed in, and nothing depends on it
const stopwatchMs = (): number => performance.now()

/** The running version; its value is always 1. */
export const buildInfo = (version: string): Metric =>
  new Gauge({ name: 'postern_build_info', help: 'The version that runs.', label: 'version' }, () => ({ [version]: 1 }))

const sampleOf = ({ label }: MetricShape, labelValue: string, value: number): Sample => ({
  suffix: '',
  labels: label === undefined ? {} : { [label]: labelValue },
  value,
})

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export const renderMetrics = (metrics: readonly Metric[]): string => metrics.map(renderOne).join('')

function renderOne(metric: Metric): string {
  const { name, help } = metric.shape
  const lines = metric.samples().map(({ suffix, labels, value }) => `${name}${suffix}${labelsOf(labels)} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${metric.kind}\n${lines.join('')}`
}

function labelsOf(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
