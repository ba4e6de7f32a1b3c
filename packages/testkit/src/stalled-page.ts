// A page of the app that stalls: its core and its screen are repeatedly busy for a moment, as on a busy machine.
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'

const STEPS_MAX = 500
const STEP_PAUSE_MS = 50

/** Nothing else runs in the thread meanwhile: frames of the relay pile up. */
const beBusy = (ms: number): void => {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

/** Keeps the core, the screen, or both busy. It ends when the worker or page goes away, for example by a reload. */
export async function stall(
  page: Page,
  { coreMs = 0, screenMs = 0 }: { coreMs?: number; screenMs?: number },
): Promise<void> {
  await Promise.allSettled([
    page.workers()[0]?.evaluate(beBusy, coreMs),
    screenMs > 0 && page.evaluate(beBusy, screenMs),
  ])
}

/** As on a machine that is slower by this factor. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate })
  await devtools.detach()
}

export async function stallUntil(page: Page, isOver: () => boolean): Promise<void> {
  await slowDown(page, 2)
  for (let round = 0; !isOver(); round++) {
    await stall(page, { coreMs: 40 + (round % 5) * 40, screenMs: round % 4 === 0 ? 150 : 0 })
    await pause(20)
  }
  await slowDown(page, 1)
}

/** As a person scrolls down: a chat with unread messages opens at the first of them. False when the text does not come. */
export async function scrollDownTo(page: Page, text: string): Promise<boolean> {
  const log = page.getByRole('log')
  await log.waitFor()
  for (let step = 0; step < STEPS_MAX; step++) {
    if ((await log.getByRole('article').filter({ hasText: text }).count()) > 0) return true
    await log.evaluate(list => list.scrollTo({ top: list.scrollHeight, behavior: 'instant' }))
    await pause(STEP_PAUSE_MS)
  }
  return false
}

/** All matching texts of the open conversation, oldest first: from the end, page by page, up to the given first one. */
export async function readUpwards(page: Page, wanted: RegExp, first: string): Promise<string[]> {
  const found: string[] = []
  const log = page.getByRole('log')
  for (let step = 0; step < STEPS_MAX; step++) {
    const shown = (await log.getByRole('article').allInnerTexts()).flatMap(text => text.match(wanted) ?? [])
    const known = new Set(found)
    found.unshift(...shown.filter(text => !known.has(text)))
    if (found.includes(first)) return found
    await log.evaluate(list => list.scrollTo({ top: 0, behavior: 'instant' }))
    await pause(STEP_PAUSE_MS)
  }
  return found
}
