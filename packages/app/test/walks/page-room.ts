// Whether everything fits on a screen: nothing sticks out, nothing covers a button, no words are cut off.
import type { Page } from 'playwright-core'

/** Each fault in words. Texts with an intended ellipsis are allowed. */
export async function faultsOfRoom(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found = new Set<string>()
    const name = (element: Element): string =>
      `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} ${(element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 30)}`
    const isShown = (element: Element): boolean =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest('.unseen')

    if (document.documentElement.scrollWidth > innerWidth) found.add('the page is wider than its window')
    for (const box of document.querySelectorAll('[role="log"], dialog, nav, main, section, header, footer'))
      if (isShown(box) && box.scrollWidth > box.clientWidth + 1) found.add(`wider than its room: ${name(box)}`)

    /** Elements that are scrolled out of sight can be reached by scrolling. */
    const isInSight = (element: Element, { x, y }: { x: number; y: number }): boolean => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        const { left, right, top, bottom } = at.getBoundingClientRect()
        if (getComputedStyle(at).overflowY !== 'visible' && (x < left || x > right || y < top || y > bottom))
          return false
      }
      return y > 0 && y < innerHeight
    }
    const modal = document.querySelector('dialog[open]')
    for (const control of (modal ?? document).querySelectorAll('button, a, input, textarea')) {
      if (!isShown(control) || getComputedStyle(control).pointerEvents === 'none') continue
      const { left, right, top, bottom } = control.getBoundingClientRect()
      if (left < -1 || right > innerWidth + 1) found.add(`sticks out: ${name(control)}`)
      const isWords = [...control.childNodes].some(node => node.nodeType === Node.TEXT_NODE)
      if (isWords && getComputedStyle(control).overflowX === 'visible' && control.scrollWidth > control.clientWidth + 1)
        found.add(`wider than its button: ${name(control)}`)
      const middle = { x: (left + right) / 2, y: (top + bottom) / 2 }
      if (!isInSight(control, middle)) continue
      const hit = document.elementFromPoint(middle.x, middle.y)
      // Temporary layers may cover other elements. The button to the end is one: at the end there is none.
      if (hit?.closest('.toast, .jump-button, [role="menu"], [role="listbox"]')) continue
      const label = control.closest('label')
      if (!hit || !(control.contains(hit) || hit.contains(control) || label?.contains(hit)))
        found.add(`covered: ${name(control)} by ${hit ? name(hit.closest('button, a') ?? hit) : 'nothing'}`)
    }

    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const hasWords = [...element.childNodes].some(
        node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      )
      if (!hasWords || !isShown(element)) continue
      const { overflowX, overflowY, textOverflow, webkitLineClamp, display } = getComputedStyle(element)
      const isCut = (overflow: string): boolean => overflow === 'clip' || overflow === 'hidden'
      const mayEnd = textOverflow === 'ellipsis' || webkitLineClamp !== 'none' || display === 'inline'
      // A sign that the font has only in parts is wider than intended.
      if (mayEnd || element.matches('input, textarea, .emoji-grid-sign')) continue
      if (isCut(overflowY) && element.scrollHeight > element.clientHeight + 3)
        found.add(`cut off below: ${name(element)}`)
      if (isCut(overflowX) && element.scrollWidth > element.clientWidth + 1)
        found.add(`cut off aside: ${name(element)}`)
    }
    return [...found]
  })
}
