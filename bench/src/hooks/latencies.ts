// The latency of one post at a steady rate, whether the last one has been answered or not.
import { setTimeout as wait } from 'node:timers/promises'
import { median, percentile } from '../figures.ts'
import type { Row } from '../table.ts'
import type { Sender } from './sender.ts'

type Pace = { perSec: number; count: number }

/** In turns with sends over the API, half an interval apart. */
export async function latencyRows(sender: Pick<Sender, 'post' | 'send'>, { perSec, count }: Pace): Promise<Row[]> {
  const times = { post: [] as number[], send: [] as number[] }
  const paceMs = 1000 / perSec / 2
  const startedMs = performance.now()
  const asked: Promise<void>[] = []
  for (let at = 0; at < 2 * count; at++) {
    await wait(Math.max(0, startedMs + at * paceMs - performance.now()))
    const side = at % 2 === 0 ? 'post' : 'send'
    asked.push(timed(times[side], () => sender[side](Math.floor(at / 2) % 4)))
  }
  await Promise.all(asked)
  const row = (what: string, of: (values: number[]) => number): Row => ({
    what: `hook post to 200, ${perSec} a second, ${what}`,
    ours: of(times.post),
    unit: 'ms',
    peer: { what: 'send of the API', figure: of(times.send), better: 'less' },
  })
  return [row('median', median), row('p99', values => percentile(values, 0.99))]
}

async function timed(times: number[], work: () => Promise<void>): Promise<void> {
  const startedMs = performance.now()
  await work()
  times.push(performance.now() - startedMs)
}
