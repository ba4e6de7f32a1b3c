// A phone: fingers leave no focus ring, and a menu does not cover the message that it is about.
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { test } from './walk-test.ts'

const PHONE = { viewport: { width: 380, height: 780 }, hasTouch: true, isMobile: true }

/** The ring and the background of the element that has the focus. */
const focused = ({ page }: AppPerson): Promise<{ tag: string; ring: string; background: string }> =>
  page.evaluate(() => {
    const element = document.activeElement ?? document.body
    const { outlineStyle, backgroundColor } = getComputedStyle(element)
    return { tag: element.tagName, ring: outlineStyle, background: backgroundColor }
  })

/** A finger that rests on it until the menu is open. */
async function pressesLong({ page, context }: AppPerson, on: Locator): Promise<Locator> {
  const box = await on.boundingBox()
  if (!box) throw new Error('it is not on the screen')
  const touch = await context.newCDPSession(page)
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
  const menu = page.getByRole('menu')
  await menu.waitFor()
  // It stays when the finger is lifted.
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  expect(await menu.isVisible()).toBe(true)
  return menu
}

const sidesOf = async (on: Locator): Promise<{ top: number; bottom: number }> => {
  const box = await on.boundingBox()
  if (!box) throw new Error('it is not on the screen')
  return { top: box.y, bottom: box.y + box.height }
}

test('[APP-14.36] A tap leaves no focus ring, also after words were typed, and the keyboard shows it', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp(PHONE)
  const { page } = alice
  await alice.starts(bot, 'Alice')
  await alice.field.tap()
  await page.keyboard.type('Hello')
  await page.keyboard.press('Enter')
  await alice.seesSent('Hello')
  await alice.button('Attach').tap()
  await page.getByRole('menu').waitFor()
  const first = await focused(alice)
  expect(first).toEqual({ tag: 'BUTTON', ring: 'none', background: 'rgba(0, 0, 0, 0)' })
  await page.getByRole('menuitem', { name: 'Poll' }).tap()
  await alice.dialog('New poll').waitFor()
  await alice.dialog('New poll').getByRole('button', { name: 'Cancel' }).tap()
  await alice.dialog('New poll').waitFor({ state: 'detached' })
  expect(await focused(alice)).toMatchObject({ ring: 'none' })
  await page.keyboard.press('Shift+Tab')
  await expect.poll(() => focused(alice)).toMatchObject({ ring: 'solid' })
})

test('[APP-14.36] A screen that a tap opens has no ringed back button, and no emoji of a menu looks chosen', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp(PHONE)
  const { page } = alice
  await alice.starts(bot, 'Alice')
  await alice.field.tap()
  await page.keyboard.type('Hello')
  await page.keyboard.press('Enter')
  await alice.seesSent('Hello')
  const menu = await pressesLong(alice, await alice.sees('Hello'))
  const emoji = menu.getByRole('menuitem').first()
  const background = () => emoji.evaluate(it => getComputedStyle(it).backgroundColor)
  expect([await background(), (await focused(alice)).ring]).toEqual(['rgba(0, 0, 0, 0)', 'none'])
  await page.goBack()
  await menu.waitFor({ state: 'detached' })
  await alice.button(/^About/).tap()
  await page.getByRole('heading', { name: 'Info' }).waitFor()
  expect(await focused(alice)).toMatchObject({ ring: 'none' })
  await alice.button('Media, files and links').tap()
  await page.getByRole('tab', { name: 'Files' }).waitFor()
  expect(await focused(alice)).toMatchObject({ ring: 'none' })
})

test('[APP-9.18] All groups of emoji are in one line on a phone', async ({ bot, openApp }) => {
  const { person: alice } = await openApp(PHONE)
  await alice.starts(bot, 'Alice')
  await alice.button('Emoji').tap()
  const tabs = alice.page.getByRole('tab')
  await tabs.nth(9).waitFor()
  const boxes = await Promise.all((await tabs.all()).map(sidesOf))
  expect(boxes).toHaveLength(10)
  expect(new Set(boxes.map(({ top }) => top)).size).toBe(1)
})

test('[APP-7.15] The information about a person is beside the conversation, also after a reload', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp({ viewport: { width: 1280, height: 800 } })
  await alice.starts(bot, 'Alice')
  await alice.button(/^About/).click()
  const isBeside = async () => {
    await alice.button('Media, files and links').waitFor()
    await alice.sees('/start')
  }
  await isBeside()
  await alice.page.reload()
  await isBeside()
})

test('[APP-14.37] The menu of a message that is pressed long is above or below the message', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp(PHONE)
  await alice.starts(bot, 'Alice')
  for (const text of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) await alice.writes(text)
  await alice.seesSent('seven')
  for (const text of ['/start', 'three', 'seven']) {
    const message = await alice.sees(text)
    await message.scrollIntoViewIfNeeded()
    const menu = await pressesLong(alice, message)
    const [of, it] = [await sidesOf(menu), await sidesOf(message)]
    expect(of.top >= it.bottom || of.bottom <= it.top).toBe(true)
    // As a browser that gives the focus back to the field when the finger is lifted.
    await alice.field.focus()
    await alice.page.keyboard.press('Escape')
    await menu.waitFor({ state: 'detached' })
  }
  // The finger that opened the menu of a chat does not open the chat.
  await alice.page.getByRole('button', { name: 'Back' }).tap()
  const chat = alice.page.getByRole('listitem').filter({ hasText: 'Harbour' })
  await chat.waitFor()
  const list = alice.page.url()
  await pressesLong(alice, chat)
  expect(alice.page.url()).toBe(list)
})
