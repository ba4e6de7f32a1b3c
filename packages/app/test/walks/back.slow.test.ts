// Back, on a phone: layers above a conversation go first.
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { test } from './walk-test.ts'

/** Like the browser's button; nobody waits for another page, because none comes. */
const goesBack = ({ page }: AppPerson): Promise<void> => page.evaluate(() => history.back())

test('[APP-7.12] Back closes a menu, the emoji and a dialog before it leaves the chat, and another screen takes them along', async ({
  bot,
  alice: { person: alice },
}) => {
  const { page } = alice
  await alice.starts(bot, 'Alice')
  const chat = page.url()
  await alice.presses('Attach')
  await page.getByRole('menu').waitFor()
  await goesBack(alice)
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await alice.presses('Emoji')
  const search = page.getByRole('searchbox', { name: 'Search emoji' })
  await search.waitFor()
  await goesBack(alice)
  await search.waitFor({ state: 'detached' })
  await alice.presses('Attach')
  await alice.chooses('Poll')
  const dialog = alice.dialog('New poll')
  await dialog.waitFor()
  await goesBack(alice)
  await dialog.waitFor({ state: 'detached' })
  await alice.field.waitFor()
  expect(page.url()).toBe(chat)
  await alice.button('Attach').and(page.locator(':focus')).waitFor()
  await alice.presses('Attach')
  await alice.chooses('Poll')
  await dialog.waitFor()
  await page.evaluate(() => void (location.hash = '#settings'))
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await goesBack(alice)
  await alice.field.waitFor()
})
