// A person without a pointer: Tab, arrows, Enter and Escape, with checks of the focus.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** More stops than any screen has. */
const STOPS_MAX = 60

const isFocused = (element: Element): boolean => element === document.activeElement

export class Keys {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key)
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text)
  }

  /** Opens something by the focused element, and types before the next frame: the first letters go into the field, too. */
  async pressAndType(text: string): Promise<void> {
    await this.#page.evaluate(async typed => {
      ;(document.activeElement as HTMLElement).click()
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
      const field = document.activeElement as HTMLInputElement
      field.value = typed
      field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }, text)
  }

  /** From stop to stop, each of which is visible. */
  async tabsTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.waitFor()
    for (let stops = 0; stops < STOPS_MAX; stops++) {
      if (await target.evaluate(isFocused)) return await this.isSeen()
      await this.press(key)
    }
    throw new Error(`Tab does not lead to ${String(target)}: it is at ${await this.place()}`)
  }

  async arrowsTo(target: Locator, key: 'ArrowDown' | 'ArrowUp' | 'ArrowRight' = 'ArrowDown'): Promise<void> {
    await target.waitFor()
    for (let steps = 0; steps < STOPS_MAX; steps++) {
      if (await target.evaluate(isFocused)) return await this.isSeen()
      await this.press(key)
    }
    throw new Error(`${key} does not lead to ${String(target)}: it is at ${await this.place()}`)
  }

  async isAt(target: Locator): Promise<void> {
    await target.waitFor()
    await expect.poll(() => target.evaluate(isFocused), { message: 'the keyboard is elsewhere' }).toBe(true)
    await this.isSeen()
  }

  /** After something has closed: somewhere, and not at the beginning of everything. */
  async isSomewhere(): Promise<void> {
    await expect.poll(() => this.place()).not.toBe('body')
    await this.isSeen()
  }

  async place(): Promise<string> {
    return await this.#page.evaluate(() => {
      const { activeElement: at } = document
      if (!at || at === document.body) return 'body'
      return `${at.tagName.toLowerCase()}.${at.getAttribute('class')} ${at.getAttribute('aria-label') ?? at.textContent?.slice(0, 40)}`
    })
  }

  /** A ring around it, or around its field; the selected item of a menu has a separate background. */
  async isSeen(): Promise<void> {
    const fault = await this.#page.evaluate(() => {
      const at = document.activeElement
      if (!at || at === document.body) return 'the keyboard is nowhere'
      const isField = at.matches('input, textarea')
      const isMarked = (element: Element | null): boolean => {
        if (!element) return false
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
        const hasRing = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
        return hasRing || (isField && boxShadow !== 'none')
      }
      const isInMenu = at.getAttribute('role') === 'menuitem'
      const hasGround = isInMenu && getComputedStyle(at).backgroundColor !== 'rgba(0, 0, 0, 0)'
      const { top, bottom, left, right } = at.getBoundingClientRect()
      if (bottom < 0 || top > innerHeight || right < 0 || left > innerWidth) return `out of sight: ${at.className}`
      if (isMarked(at) || (isField && isMarked(at.parentElement)) || hasGround) return ''
      return `not seen at ${at.tagName} ${at.className}`
    })
    expect(fault).toBe('')
  }
}
