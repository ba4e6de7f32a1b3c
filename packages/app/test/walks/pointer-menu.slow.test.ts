// The menu of a message at a desk: at the pointer, beside the message for the keyboard, and where the browser's own is kept.
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { test, testInChromium } from './walk-test.ts'

type OwnMenus = { ownMenus: boolean[] }
type Box = { x: number; y: number; width: number; height: number }

/** Whether the browser would show its own menu, for each time that one was asked for. It is kept from it then. */
const ownMenus = ({ page }: AppPerson): Promise<boolean[]> =>
  page.evaluate(() => (window as unknown as OwnMenus).ownMenus)

async function followsMenus({ page }: AppPerson): Promise<void> {
  await page.evaluate(() => {
    const seen: boolean[] = []
    ;(window as unknown as OwnMenus).ownMenus = seen
    addEventListener('contextmenu', event => {
      seen.push(!event.defaultPrevented)
      event.preventDefault()
    })
  })
}

async function boxOf(on: Locator): Promise<Box> {
  const box = await on.boundingBox()
  if (!box) throw new Error('it is not on the screen')
  return box
}

async function selectsWords({ page }: AppPerson, words: string): Promise<void> {
  await page
    .getByRole('log')
    .getByText(words)
    .evaluate(element => getSelection()?.selectAllChildren(element))
}

test('[APP-14.53] A right click on a message opens its menu at the pointer', async ({
  bot,
  alice: { person: alice },
}) => {
  await alice.starts(bot, 'Alice')
  const message = await alice.sees('/start')
  const menu = alice.page.getByRole('menu')
  const { x, y } = await boxOf(message)
  const pointer = { x: Math.round(x + 30), y: Math.round(y + 12) }
  await alice.page.mouse.click(pointer.x, pointer.y, { button: 'right' })
  await menu.waitFor()
  const box = await boxOf(menu)
  const sidesToPointer = (from: number, size: number, at: number) =>
    Math.min(Math.abs(from - at), Math.abs(from + size - at))
  expect(sidesToPointer(box.x, box.width, pointer.x)).toBeLessThan(6)
  expect(sidesToPointer(box.y, box.height, pointer.y)).toBeLessThan(6)
})

test('[APP-14.53] A right click on selected words or a link opens the menu of the browser', async ({
  bot,
  alice: { person: alice },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  await bot.says(chat, { text: 'See https://example.org/ferry' })
  const link = alice.page.getByRole('log').getByRole('link', { name: 'https://example.org/ferry' })
  await link.waitFor()
  await followsMenus(alice)
  await link.click({ button: 'right' })
  await expect.poll(() => ownMenus(alice)).toEqual([true])
  await selectsWords(alice, '/start')
  await alice.page
    .getByRole('log')
    .getByText('/start')
    .click({ button: 'right', position: { x: 8, y: 8 } })
  await expect.poll(() => ownMenus(alice)).toEqual([true, true])
  expect(await alice.page.getByRole('menu').count()).toBe(0)
})

// The driver of Firefox presses no menu key: its contextmenu comes from the window system.
testInChromium(
  '[APP-14.53] The menu key opens the menu beside the message, also while words of another message are selected',
  async ({ bot, alice: { person: alice } }) => {
    const chat = await alice.starts(bot, 'Alice')
    await bot.says(chat, { text: 'Ferries are late today.' })
    await alice.sees('Ferries')
    await followsMenus(alice)
    await selectsWords(alice, '/start')
    const message = alice.message('Ferries')
    await message.focus()
    await alice.page.keyboard.press('ContextMenu')
    const menu = alice.page.getByRole('menu')
    await menu.waitFor()
    const [of, it] = [await boxOf(menu), await boxOf(message)]
    expect(of.y >= it.y + it.height || of.y + of.height <= it.y).toBe(true)
    expect(await ownMenus(alice)).toEqual([false])
  },
)

test('[APP-14.55] A menu stays beside its button when the window changes its size', async ({
  bot,
  alice: { person: alice },
}) => {
  const { page } = alice
  await page.setViewportSize({ width: 1180, height: 760 })
  await alice.starts(bot, 'Alice')
  await alice.presses('Attach')
  const menu = page.getByRole('menu')
  await menu.waitFor()
  await page.setViewportSize({ width: 380, height: 500 })
  const gapPx = async (): Promise<number> => {
    const [of, button] = [await boxOf(menu), await boxOf(alice.button('Attach'))]
    return Math.abs(button.y - (of.y + of.height))
  }
  await expect.poll(gapPx).toBeLessThan(6)
  await expect.poll(async () => (await boxOf(menu)).x).toBeLessThan(100)
})
