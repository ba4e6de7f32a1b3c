// A chat of 100,000 messages: restored from a backup, scrolled, and jumped about in.
import { join } from 'node:path'
import { launchOptions } from '@postern/testkit/chromium'
import { chromium } from 'playwright-core'
import { median, percentile } from '../figures.ts'
import type { Row } from '../table.ts'
import { AppPage } from './app-page.ts'
import { type LongHistory, makeLongHistory } from './long-history.ts'
import { longestTaskMs } from './longest-task.ts'
import { rendererMib } from './renderers.ts'
import { jumpInPage, openInPage, type Scrolled, scrollInPage } from './scroll-in-page.ts'

const MESSAGES = 100_000
const JUMPS = 20
const FRAMES_AFTER = 60
const scrolling = { frames: 400, stepPx: 120 }

export async function measureScroll(directory: string, relayUrl: string): Promise<Row[]> {
  const long = await makeLongHistory(join(directory, 'long'), { relayUrl, count: MESSAGES })
  const context = await chromium.launchPersistentContext(join(directory, 'long-profile'), launchOptions())
  const tab = await AppPage.open(context, relayUrl)
  await tab.restore(long)
  let openingMs: number[] = []
  const scrolled: Scrolled[] = []
  const taskMs = await longestTaskMs(tab.page, async () => {
    openingMs = await tab.page.evaluate(openInPage, { address: `c/${long.chat}`, framesAfter: FRAMES_AFTER })
    scrolled.push(await tab.page.evaluate(scrollInPage, scrolling))
  })
  const firstMs = await jump(tab, long, 0)
  const jumpsMs: number[] = []
  for (let at = 0; at < JUMPS; at++) jumpsMs.push(await jump(tab, long, Math.floor(Math.random() * MESSAGES)))
  await jump(tab, long, MESSAGES / 2)
  scrolled.push(await tab.page.evaluate(scrollInPage, scrolling))
  const mib = await rendererMib(context.browser())
  await context.close()
  return rowsOf({ openingMs, taskMs, scrolled, firstMs, jumpsMs, mib })
}

const jump = (tab: AppPage, { chat, messages }: LongHistory, at: number): Promise<number> =>
  tab.page.evaluate(jumpInPage, { address: `c/${chat}/${messages[at]}`, id: String(messages[at]) })

type Measured = {
  openingMs: number[]
  taskMs: number
  scrolled: Scrolled[]
  firstMs: number
  jumpsMs: number[]
  mib: number
}

function rowsOf({ openingMs, taskMs, scrolled, firstMs, jumpsMs, mib }: Measured): Row[] {
  const frameMs = scrolled.flatMap(each => each.frameMs)
  const driftPx = scrolled.flatMap(each => each.driftPx)
  const row = (what: string, ours: number, unit: string): Row => ({
    what: `app, 100,000 messages, ${what}`,
    ours,
    unit,
  })
  return [
    row('longest frame while opening', Math.max(...openingMs), 'ms'),
    row('longest task of the page, processor time', taskMs, 'ms'),
    row('frame p50 while scrolling', median(frameMs), 'ms'),
    row('frame p95 while scrolling', percentile(frameMs, 0.95), 'ms'),
    row('longest frame while scrolling', Math.max(...frameMs), 'ms'),
    row('frames in which the middle moved', driftPx.filter(px => px > 1).length, `of ${driftPx.length}`),
    row('the farthest it moved', Math.max(...driftPx), 'px'),
    row('jump to the first', firstMs, 'ms'),
    row('jump anywhere p50', median(jumpsMs), 'ms'),
    row('renderer, PSS', mib, 'MiB'),
  ]
}
