// A screen in all its variants: checked by axe-core, measured, and saved as a picture for review.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { findingsOf } from './axe.ts'

/** Not in the repository: made by every run. */
const PICTURES = join(import.meta.dirname, '../../pictures')
const SIZES = { phone: { width: 380, height: 780 }, desk: { width: 1180, height: 760 } }

/** Fails with all findings, not with the first. */
export class Tour {
  readonly #person: AppPerson
  readonly #found: string[] = []

  constructor(person: AppPerson) {
    this.#person = person
    mkdirSync(PICTURES, { recursive: true })
  }

  /** The screen stays unchanged: only its window and its colours change. */
  async looksAt(screen: string): Promise<void> {
    const { page } = this.#person
    for (const [place, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await this.#look(`${screen}-${place}-${colorScheme}`)
        await page.screenshot({ path: join(PICTURES, `${screen}-${place}-${colorScheme}.png`) })
      }
      await page.evaluate(() => void (document.documentElement.dir = 'rtl'))
      await this.#look(`${screen}-${place}-rtl`)
      await page.evaluate(() => void (document.documentElement.dir = ''))
    }
    await page.setViewportSize(SIZES.phone)
  }

  async #look(where: string): Promise<void> {
    const { page } = this.#person
    const findings = await findingsOf(page)
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    this.#found.push(
      ...findings.map(one => `${where}: ${one}`),
      ...(isTooWide ? [`${where}: wider than its window`] : []),
    )
  }

  assertSound(): void {
    expect(this.#found).toEqual([])
  }
}
