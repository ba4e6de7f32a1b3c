// How long a newcomer waits for the first field: by an invite link, on a slow line, with a slow processor.
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { launchOptions } from '@postern/testkit/chromium'
import { chromium } from 'playwright-core'
import { startRing, stopRing } from '../echo/ring.ts'
import { median } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { AppPage } from './app-page.ts'
import { type LineSpeed, SlowLine } from './slow-line.ts'

/** The second is what Lighthouse and the browser's own tools call Slow 4G. */
const lines: readonly LineSpeed[] = [
  { kbitPerSec: 400, roundTripMs: 400 },
  { kbitPerSec: 1600, roundTripMs: 150 },
]
const SLOWER_CPU = 4
const VISITS = 3
const VISIT_MS_MAX = 120_000

export const measureFirstField = (): Promise<Row[]> =>
  inScratch(async directory => {
    const ring = await startRing(join(directory, 'ring'), { people: 0, app: await builtApp() })
    const invite = await ring.gateway.ask<string>('invite')
    const rows: Row[] = []
    for (const line of lines) rows.push(await measureLine(invite, line))
    await stopRing(ring)
    return rows
  })

async function measureLine(invite: string, line: LineSpeed): Promise<Row> {
  const visits: FirstVisit[] = []
  for (let at = 0; at < VISITS; at++) visits.push(await visitOn(invite, { line, slowerCpu: SLOWER_CPU }))
  return {
    what: `app, link to the first field, ${line.kbitPerSec} kbit/s, ${line.roundTripMs} ms, CPU ${SLOWER_CPU} times slower`,
    ours: median(visits.map(({ fieldMs }) => fieldMs)),
    unit: 'ms',
    peer: { what: 'until the core is ready', figure: median(visits.map(({ coreMs }) => coreMs)), better: 'less' },
  }
}

export type FirstVisit = { fieldMs: number; coreMs: number }

/** In an empty browser. */
export async function visitOn(
  invite: string,
  { line, slowerCpu }: { line: LineSpeed; slowerCpu: number },
): Promise<FirstVisit> {
  const slow = new SlowLine(invite, line)
  const url = await slow.listen()
  const browser = await chromium.launch(launchOptions())
  const context = await browser.newContext()
  context.setDefaultTimeout(VISIT_MS_MAX)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowerCpu })
  const tab = await AppPage.visit(page, url + new URL(invite).hash)
  const fieldMs = await tab.markMs('named')
  const coreMs = await tab.markMs('settled')
  await browser.close()
  slow.close()
  return { fieldMs, coreMs }
}
