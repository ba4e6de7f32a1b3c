// The longest task of a tab's main thread, in processor time: a busy machine makes frames longer, but not this.
import type { Page } from 'playwright-core'

/** As in Chromium's traces. `tdur`: in microseconds of the thread's own time. */
type TraceEvent = { name: string; pid: number; tid: number; tdur?: number; args?: { name?: string } }

const MAIN_THREAD = 'CrRendererMain'
const TASK = 'ThreadControllerImpl::RunTask'
const US_PER_MS = 1000

export async function longestTaskMs(page: Page, work: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()
  if (!browser) throw new Error('the browser is gone')
  await browser.startTracing(page, { categories: ['toplevel'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
  const isNamed = ({ name, args }: TraceEvent): boolean => name === 'thread_name' && args?.name === MAIN_THREAD
  const mains = new Set(traceEvents.filter(isNamed).map(threadOf))
  const tasks = traceEvents.filter(event => event.name === TASK && mains.has(threadOf(event)))
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / US_PER_MS
}
