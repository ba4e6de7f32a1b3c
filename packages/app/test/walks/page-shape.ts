// The effects of strangers' words on a screen, searched in the page itself: each fault in words.
import type { Page } from 'playwright-core'

/** The maximum height of a sign in a text, and of the elements around the text: avatars, times, names. */
const BOUNDS = { linePx: 26, signsPerLine: 8, aroundPx: 150, controlPx: 72, picturePx: 460 }

/**
 * Nothing ran; nothing is wider than the window or the conversation; no row is higher than the lines of its own words;
 * a heap of marks is cut off at the edge of its row, so that it covers nobody else's.
 */
export async function faultsOfShape(page: Page): Promise<string[]> {
  return await page.evaluate(({ linePx, signsPerLine, aroundPx, controlPx, picturePx }) => {
    const found = new Set<string>()
    const name = (element: Element): string =>
      `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} ${(element.textContent ?? '').slice(0, 30)}`
    const isShown = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true })

    if ('wasRun' in globalThis) found.add('a script ran')
    if (document.documentElement.scrollWidth > innerWidth) found.add('the page is wider than its window')
    for (const box of document.querySelectorAll('[role="log"], [role="dialog"], nav, main, section'))
      if (isShown(box) && box.scrollWidth > box.clientWidth) found.add(`wider than its room: ${name(box)}`)
    for (const part of document.querySelectorAll(
      'article, header, h1, h2, [role="listitem"], button, a, input, textarea',
    )) {
      if (!isShown(part) || part.closest('.unseen')) continue
      const { left, right } = part.getBoundingClientRect()
      if (left < -1 || right > innerWidth + 1) found.add(`sticks out: ${name(part)}`)
    }

    const signs = new Intl.Segmenter()
    /** Some single signs are as wide as a line. */
    const linesOf = (line: string): number =>
      Math.max(1, Math.ceil([...signs.segment(line)].length / signsPerLine)) +
      (line.match(/[\ufdfd\ua9c5\u{1242b}]/gu)?.length ?? 0)
    for (const row of document.querySelectorAll<HTMLElement>('[role="log"] article')) {
      const lines = row.innerText.split('\n').reduce((sum, line) => sum + linesOf(line), 0)
      const controls = row.querySelectorAll('button, label, li').length
      const pictures = row.querySelectorAll('img, video, .photo-body').length
      const most = lines * linePx + controls * controlPx + pictures * picturePx + aroundPx
      if (row.offsetHeight > most) found.add(`higher than its words (${row.offsetHeight} > ${most}): ${name(row)}`)
    }

    const isCut = (element: Element | null): boolean => {
      for (let at = element; at && !at.matches('[role="log"], [role="list"], main, nav, body'); at = at.parentElement) {
        const { display, overflowY } = getComputedStyle(at)
        if (display !== 'inline' && display !== 'contents' && ['clip', 'hidden'].includes(overflowY)) return true
      }
      return false
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { parentElement: around, textContent } = texts.currentNode
      if (!/\p{M}{8}/u.test(textContent ?? '') || !around || !isShown(around)) continue
      if (!isCut(around)) found.add(`marks paint over others: ${name(around)}`)
    }
    return [...found]
  }, BOUNDS)
}
