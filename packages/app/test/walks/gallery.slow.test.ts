// The gallery of a chat: every kind, page after page, and back to the message.
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { findingsOf } from './axe.ts'
import { faultsOfShape } from './page-shape.ts'
import { samplePhoto } from './sample-photo.ts'
import { test } from './walk-test.ts'

const WIDE = { viewport: { width: 1280, height: 800 } }
/** More than a page of the gallery. */
const PHOTOS = 64

const tiles = ({ page }: AppPerson) => page.getByRole('button', { name: /^View photo from/ })

test('[APP-12.17] a gallery shows all photos, files and links of a chat, and leads to each', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp(WIDE)
  const { page } = alice
  const chat = await alice.starts(bot, 'Alice')
  const bytes = samplePhoto({ width: 60, height: 40 })
  await bot.sendsFile(chat, { bytes, name: 'plan.bin', caption: 'The plan', kind: 'file', type: 'x/y' })
  await bot.says(chat, { text: 'Timetable: https://ferry.example/times, and http is no link' })
  for (let at = 0; at < PHOTOS; at++)
    await bot.sendsPhoto(chat, { bytes, name: `p${at}.png`, caption: at === 0 ? 'The oldest' : '' })
  await alice.button(`View photo p${PHOTOS - 1}.png`).waitFor()

  await alice.presses(/^About/)
  await alice.presses('Media, files and links')
  await tiles(alice).first().waitFor()
  // Beside the conversation.
  expect(await page.getByRole('log').isVisible()).toBe(true)
  expect(await findingsOf(page)).toEqual([])
  expect(await faultsOfShape(page)).toEqual([])
  await expect
    .poll(async () => {
      await tiles(alice).last().scrollIntoViewIfNeeded()
      return await tiles(alice).count()
    })
    .toBe(PHOTOS)
  await tiles(alice).last().click()
  const viewer = alice.dialog('Photo')
  await viewer.getByText('The oldest').waitFor()
  await viewer.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('tabpanel').getByText('plan.bin').waitFor()
  await page.getByRole('tab', { name: 'Voice' }).click()
  await page.getByText('No voice messages yet').waitFor()
  await page.getByRole('tab', { name: 'Links' }).click()
  const link = page.getByRole('tabpanel').getByRole('link', { name: 'https://ferry.example/times' })
  expect(await link.getAttribute('href')).toBe('https://ferry.example/times')
  expect(await findingsOf(page)).toEqual([])
  await page
    .getByRole('tabpanel')
    .getByRole('link', { name: /^Harbour/ })
    .click()
  await expect.poll(() => alice.message('Timetable:').isVisible()).toBe(true)
  expect(await page.getByRole('tabpanel').count()).toBe(0)
})
