// The machine's resources that tabs use: the memory of their renderers, as Linux counts it, and their processor time.
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'

const KIB_PER_MIB = 1024
const MS_PER_SECOND = 1000

async function renderersOf(browser: Browser | null): Promise<{ id: number; cpuTime: number }[]> {
  if (!browser) throw new Error('the browser is gone')
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer')
}

/** The largest one: a browser keeps empty ones in reserve. */
export async function rendererMib(browser: Browser | null): Promise<number> {
  const renderers = await renderersOf(browser)
  return Math.max(...renderers.map(({ id }) => pssMib(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))))
}

/** All of them since their start, with their workers. */
export async function renderersCpuMs(browser: Browser | null): Promise<number> {
  const renderers = await renderersOf(browser)
  return renderers.reduce((sum, { cpuTime }) => sum + cpuTime * MS_PER_SECOND, 0)
}

/** Proportional: memory that several processes share is counted in parts. */
export function pssMib(smaps: string): number {
  const [, kib = Number.NaN] = /^Pss:\s+(\d+) kB$/m.exec(smaps) ?? []
  return Number(kib) / KIB_PER_MIB
}
