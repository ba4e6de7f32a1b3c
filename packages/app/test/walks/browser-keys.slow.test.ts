// Keys of the browser: Alt and an arrow lead back, wherever the focus is.
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { samplePhoto } from './sample-photo.ts'
import { inviteOf, test } from './walk-test.ts'

type TakenKeys = { takenKeys: string[] }

/** Keys that the app keeps from the browser. */
const takenKeys = ({ page }: AppPerson): Promise<string[]> =>
  page.evaluate(() => (window as unknown as TakenKeys).takenKeys)

async function followsKeys({ page }: AppPerson): Promise<void> {
  await page.evaluate(() => {
    const taken: string[] = []
    ;(window as unknown as TakenKeys).takenKeys = taken
    addEventListener('keydown', event => {
      if (event.defaultPrevented) taken.push(event.key)
    })
  })
}

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] as const

/** The focus stays. The driver presses no key of the browser's own window, so this goes nowhere. */
async function pressesWithAlt(alice: AppPerson, at: Locator): Promise<void> {
  await at.focus()
  for (const arrow of ARROWS) await alice.page.keyboard.press(`Alt+${arrow}`)
  expect(await at.evaluate(element => element === document.activeElement)).toBe(true)
  expect(await takenKeys(alice)).toEqual([])
}

test('[APP-14.54] Alt and an arrow are for the browser: on messages, a poll, a photo and the tabs of a gallery', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp({ viewport: { width: 1280, height: 800 } })
  const { page } = alice
  const chat = await alice.starts(bot, 'Alice')
  const bytes = samplePhoto({ width: 60, height: 40 })
  for (const name of ['one', 'two', 'three']) await bot.sendsPhoto(chat, { bytes, name: `${name}.png`, caption: name })
  await bot.asks(chat, { question: 'When?', options: ['now', 'later', 'never'] })
  const radios = page.getByRole('radio')
  await radios.nth(1).waitFor()
  await followsKeys(alice)
  await pressesWithAlt(alice, radios.nth(1))
  await pressesWithAlt(alice, alice.message('two'))

  await alice.presses('View photo two.png')
  const viewer = alice.dialog('Photo')
  await viewer.getByRole('img', { name: 'two.png' }).waitFor()
  await expect.poll(() => viewer.getByRole('button', { name: 'Next' }).isEnabled()).toBe(true)
  await pressesWithAlt(alice, viewer.getByRole('button', { name: 'Close' }))
  await page.keyboard.press('Alt+ArrowLeft')
  await page.keyboard.press('ArrowRight')
  await viewer.getByRole('img', { name: 'three.png' }).waitFor()
  await page.keyboard.press('Escape')

  await alice.presses(/^About/)
  await alice.presses('Media, files and links')
  await page.getByRole('tab', { name: 'Files' }).click()
  await pressesWithAlt(alice, page.getByRole('tab', { name: 'Files' }))
  await page.evaluate(() => history.back())
  await alice.button('Media, files and links').waitFor()
  await page.evaluate(() => history.forward())
  await page.getByRole('tab', { name: 'Files' }).waitFor()
})

test('[APP-14.54] Alt and an arrow lead to the next chat from the list, the search and what it has found', async ({
  world,
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp({ viewport: { width: 1280, height: 800 } })
  const { page } = alice
  const bob = await world.person('Bob')
  await alice.starts(bot, 'Alice')
  const harbour = await page.evaluate(() => location.hash)
  await page.goto(await inviteOf(world, bob.client))
  await page.locator('button:enabled', { hasText: 'Start a chat' }).click()
  for (const text of ['The first ferry', 'The last ferry']) await alice.writes(text)
  await bob.hears('The last ferry')
  const isIn = async (hash: string): Promise<void> =>
    await expect.poll(() => page.evaluate(() => location.hash)).toBe(hash)
  const below = async (at: Locator): Promise<void> => {
    await page.evaluate(to => void (location.hash = to), `c/${bob.id}`)
    await alice.sees('The last ferry')
    await at.focus()
    await page.keyboard.press('Alt+ArrowDown')
    await isIn(harbour)
  }
  await below(page.getByRole('link', { name: /^Bob/ }))
  const field = page.getByRole('textbox', { name: 'Search', exact: true })
  await field.fill('ferry')
  const found = page.locator('.found-message')
  await found.nth(1).waitFor()
  await below(field)
  await below(found.first())
})
