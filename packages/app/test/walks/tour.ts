// A screen in all its variants: checked by axe-core, measured, and saved as a picture for review.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { findingsOf } from './axe.ts'

/** Not in the repository. Made on request: `PICTURES=1 npx vitest run screens`. */
const PICTURES = join(import.meta.dirname, '../../pictures')
const takesPictures = process.env['PICTURES'] !== undefined
const SIZES = { phone: { width: 380, height: 780 }, desk: { width: 1180, height: 760 } }

/** Fails with all findings, not with the first. */
export class Tour {
  readonly #person: AppPerson
  readonly #found: string[] = []

  constructor(person: AppPerson) {
    this.#person = person
    if (takesPictures) mkdirSync(PICTURES, { recursive: true })
  }

  /** The screen stays unchanged: only its window and its colours change. */
  async looksAt(screen: string): Promise<void> {
    const { page } = this.#person
    for (const [place, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        // The dark scheme has the same elements: only their colours differ.
        const findings = await findingsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)
        this.#found.push(...findings.map(one => `${screen}-${place}-${colorScheme}: ${one}`))
        if (takesPictures) await page.screenshot({ path: join(PICTURES, `${screen}-${place}-${colorScheme}.png`) })
      }
      for (const direction of ['', 'rtl']) await this.#measure(`${screen}-${place}-${direction}`, direction)
    }
    await page.setViewportSize(SIZES.phone)
  }

  async #measure(where: string, direction: string): Promise<void> {
    const isTooWide = await this.#person.page.evaluate(given => {
      const { documentElement } = document
      documentElement.dir = given
      const found = documentElement.scrollWidth > innerWidth
      documentElement.dir = ''
      return found
    }, direction)
    if (isTooWide) this.#found.push(`${where}: wider than its window`)
  }

  assertSound(): void {
    expect(this.#found).toEqual([])
  }
}
