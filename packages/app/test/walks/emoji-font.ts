// A font with emoji for machines that have none: its signs are twice as wide as the boxes for missing ones.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const font = readFileSync(
  new URL(import.meta.resolve('@fontsource/noto-emoji/files/noto-emoji-emoji-400-normal.woff2')),
).toString('base64')

/** Not digits, which the font has as well. */
const RANGE = 'U+1F000-1FAFF, U+2600-27BF, U+2B00-2BFF, U+FE0F, U+200D'

/** For this document, before all other fonts. Throws when the page does not use it. */
export async function useEmojiFont(page: Page): Promise<void> {
  await page.evaluate(
    async ({ font, range }) => {
      const bytes = Uint8Array.from(atob(font), letter => letter.charCodeAt(0))
      const face = new FontFace('Emoji of the tests', bytes, { unicodeRange: range })
      document.fonts.add(await face.load())
      const { style } = document.documentElement
      const others = getComputedStyle(document.documentElement).getPropertyValue('--font')
      style.setProperty('--font', `"Emoji of the tests", ${others}`)
      if (!document.fonts.check('16px "Emoji of the tests"', '👍')) throw new Error('the page has no emoji font')
    },
    { font, range: RANGE },
  )
}
