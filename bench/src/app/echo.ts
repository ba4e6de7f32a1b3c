// The echo as a person sees it in a tab, compared with a client without a browser: the same gateway, bot and relay, in turns.
import type { BrowserContext } from 'playwright-core'
import { inTurn, percentile } from '../figures.ts'
import type { Child } from '../processes/child.ts'
import type { Row } from '../table.ts'
import { AppPage } from './app-page.ts'
import type { PageEcho } from './in-page.ts'
import { renderersCpuMs } from './renderers.ts'

const ROUNDS = 4
const COUNT = 40
/** Fills the window, so that every round draws the same number of rows. */
const WARM_UP = 70

type Echoes = { page: PageEcho[]; follower: PageEcho[]; nodeMs: number[]; cpuMs: { page: number; node: number } }

export async function measurePageEcho(
  context: BrowserContext,
  { tab, person }: { tab: AppPage; person: Child },
): Promise<Row[]> {
  const echoes: Echoes = { page: [], follower: [], nodeMs: [], cpuMs: { page: 0, node: 0 } }
  await tab.echo({ label: 'warm-up', count: WARM_UP })
  await person.ask('echo', { count: WARM_UP, atOnce: 1 })
  let round = 0
  const pageCpuMs = () => renderersCpuMs(context.browser())
  const nodeCpuMs = async () => (await person.usage()).cpuMs
  await inTurn(ROUNDS, [
    async () => {
      const before = await pageCpuMs()
      echoes.page.push(...(await tab.echo({ label: `round ${++round}`, count: COUNT })))
      echoes.cpuMs.page += (await pageCpuMs()) - before
    },
    async () => {
      const before = await nodeCpuMs()
      echoes.nodeMs.push(...(await person.ask<number[]>('echo', { count: COUNT, atOnce: 1 })))
      echoes.cpuMs.node += (await nodeCpuMs()) - before
    },
  ])
  const follower = await AppPage.open(context, tab.page.url())
  await follower.markMs('messages')
  echoes.follower.push(...(await follower.echo({ label: 'second tab', count: COUNT })))
  await follower.close()
  return rowsOf(echoes)
}

function rowsOf({ page, follower, nodeMs, cpuMs }: Echoes): Row[] {
  const parts = { p50: 0.5, p95: 0.95 } as const
  const row = (what: string, times: number[], part: keyof typeof parts): Row => ({
    what: `app, ${what} ${part}`,
    ours: percentile(times, parts[part]),
    unit: 'ms',
    peer: { what: `Node client, echo ${part}`, figure: percentile(nodeMs, parts[part]), better: 'less' },
  })
  const of = (echoes: PageEcho[], what: keyof PageEcho) => echoes.map(echo => echo[what])
  return [
    row('echo', of(page, 'backMs'), 'p50'),
    row('echo', of(page, 'backMs'), 'p95'),
    row('echo in a second tab', of(follower, 'backMs'), 'p50'),
    { what: 'app, own words shown p50', ours: percentile(of(page, 'shownMs'), 0.5), unit: 'ms' },
    { what: 'app, relay has them p50', ours: percentile(of(page, 'sentMs'), 0.5), unit: 'ms' },
    {
      what: 'app, CPU of the renderer',
      ours: cpuMs.page / page.length,
      unit: 'ms/echo',
      peer: { what: 'CPU of the Node client', figure: cpuMs.node / nodeMs.length, better: 'less' },
    },
  ]
}
