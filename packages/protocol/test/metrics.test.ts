// Metrics: the text that Prometheus reads, and the metrics of every process.
import { setTimeout as later } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildInfo, Counter, Gauge, Histogram, type Metric, renderMetrics } from '../src/metrics.ts'
import { processMetrics } from '../src/process-metrics-node.ts'

const linesOf = (...metrics: Metric[]) => renderMetrics(metrics).trimEnd().split('\n')

test('[PROTOCOL-7.1] counts are there before the first event, one for each value of their label', () => {
  const posts = new Counter({ name: 'posts_total', help: 'Posts.', label: 'outcome' }, ['written', 'failed'])
  posts.add('written', 2)
  expect(linesOf(posts, new Counter({ name: 'dropped_total', help: 'Dropped.' }))).toEqual([
    '# HELP posts_total Posts.',
    '# TYPE posts_total counter',
    'posts_total{outcome="written"} 2',
    'posts_total{outcome="failed"} 0',
    '# HELP dropped_total Dropped.',
    '# TYPE dropped_total counter',
    'dropped_total 0',
  ])
})

test('[PROTOCOL-7.1] no label breaks out of its line', () => {
  expect(linesOf(buildInfo('1"} 5\nx_total{y="\\')).at(-1)).toBe(
    String.raw`postern_build_info{version="1\"} 5\nx_total{y=\"\\"} 1`,
  )
})

test('[PROTOCOL-7.1] what is not known has no sample, and what cannot be read is NaN', () => {
  const unknown = new Gauge({ name: 'left', help: 'Left.' }, () => ({}))
  const unread = new Gauge({ name: 'bytes', help: 'Bytes.' }, () => Number.NaN)
  expect(linesOf(unknown, unread)).toEqual([
    '# HELP left Left.',
    '# TYPE left gauge',
    '# HELP bytes Bytes.',
    '# TYPE bytes gauge',
    'bytes NaN',
  ])
})

test('[PROTOCOL-7.2] a value stands in its bucket and in all above', () => {
  const seconds = new Histogram({ name: 'seconds', help: 'Seconds.' }, [0.5, 1])
  for (const value of [0.25, 0.5, 0.75, 8]) seconds.observe(value)
  expect(linesOf(seconds).slice(2)).toEqual([
    'seconds_bucket{le="0.5"} 2',
    'seconds_bucket{le="1"} 3',
    'seconds_bucket{le="+Inf"} 4',
    'seconds_sum 9.5',
    'seconds_count 4',
  ])
})

test('[PROTOCOL-7.2] what begins and does not come to its end is not counted', () => {
  const seconds = new Histogram({ name: 'seconds', help: 'Seconds.' }, [1000])
  seconds.begin()
  seconds.begin()()
  expect(linesOf(seconds).slice(2, 4)).toEqual(['seconds_bucket{le="1000"} 1', 'seconds_bucket{le="+Inf"} 1'])
  expect(seconds.samples().find(({ suffix }) => suffix === '_sum')?.value).toBeGreaterThan(0)
})

function figuresOf(metrics: Metric[]): Record<string, number> {
  return Object.fromEntries(metrics.map(metric => [metric.shape.name, metric.samples()[0]?.value ?? Number.NaN]))
}

function keepBusy(forMs: number): void {
  const untilMs = performance.now() + forMs
  while (performance.now() < untilMs);
}

test('[PROTOCOL-7.3] memory, processor and start are those of this process', () => {
  const { metrics, stop } = processMetrics()
  const before = figuresOf(metrics)
  keepBusy(50)
  const after = figuresOf(metrics)
  stop()
  expect(after['process_resident_memory_bytes']).toBeGreaterThan(1e7)
  expect(after['process_cpu_seconds_total']).toBeGreaterThan(before['process_cpu_seconds_total'] ?? Number.NaN)
  const startedSec = Date.now() / 1000 - process.uptime()
  expect(Math.abs((after['process_start_time_seconds'] ?? 0) - startedSec)).toBeLessThan(2)
})

test('[PROTOCOL-7.3] an event loop that was held up is late by that, and one that is idle is not', async () => {
  const { metrics, stop } = processMetrics()
  expect(figuresOf(metrics)).toMatchObject({ nodejs_eventloop_lag_p99_seconds: 0, nodejs_eventloop_lag_max_seconds: 0 })
  // This tests the real event loop, which has to turn a few times before and after.
  await expect
    .poll(async () => {
      await later(50)
      keepBusy(100)
      await later(50)
      return figuresOf(metrics)['nodejs_eventloop_lag_max_seconds']
    })
    .toBeGreaterThan(0.05)
  // At any moment in which the machine lets it idle: the 20 ms between two measurements are no delay.
  const isPrompt = (lateSec = 0) => lateSec > 0 && lateSec < 0.02
  await expect
    .poll(() => isPrompt(figuresOf(metrics)['nodejs_eventloop_lag_p99_seconds']), { interval: 100 })
    .toBe(true)
  stop()
})
