// Unusual situations at a desk: people next to conversations, addresses that lead nowhere, other customs.
import { expect } from 'vitest'
import { findingsOf } from './axe.ts'
import { faultsOfShape } from './page-shape.ts'
import { test as base } from './walk-test.ts'

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 380, height: 780 }

const test = base.extend('alice', async ({ openApp }) => await openApp({ viewport: DESK, locale: 'en-US' }))

test('[APP-7.2] a person stands beside the conversation, also while the keys are compared', async ({
  bot,
  alice: { person: alice },
}) => {
  const { page } = alice
  const chat = await alice.starts(bot, 'Alice')
  await bot.says(chat, { text: 'See www.ferries.example/today.' })
  await alice.sees('www.ferries.example/today')
  await page.getByRole('region', { name: 'Conversation' }).getByRole('button', { name: 'More' }).click()
  await alice.chooses('Info')
  const beside = page.getByRole('region', { name: 'Chat info' })
  await beside.getByRole('heading', { name: 'Info' }).waitFor()
  expect(await alice.message('www.ferries.example').isVisible()).toBe(true)
  expect(await findingsOf(page)).toEqual([])
  expect(await faultsOfShape(page)).toEqual([])
  await page.setViewportSize(PHONE)
  await page.getByRole('heading', { name: 'Info' }).waitFor()
  expect(await page.getByRole('log').count()).toBe(0)
})

test('[APP-14.51] the list marks the chat whose gallery is open beside the conversation', async ({
  bot,
  alice: { person: alice },
}) => {
  const { page } = alice
  await alice.starts(bot, 'Alice')
  const line = page.getByRole('link', { name: /Harbour/ })
  const marked = () => line.getAttribute('aria-current')
  await expect.poll(marked).toBe('page')
  await alice.presses(/^About/)
  await alice.presses('Media, files and links')
  await page.getByRole('tab', { name: 'Files' }).waitFor()
  expect(await marked()).toBe('page')
})

test('[APP-14.52] the words of a file do not touch its icon', async ({ bot, alice: { person: alice } }) => {
  const chat = await alice.starts(bot, 'Alice')
  const bytes = new TextEncoder().encode('Ferries')
  await bot.sendsFile(chat, { bytes, name: 'ferries.txt', caption: 'All times', kind: 'file', type: 'text/plain' })
  const row = await alice.sees('All times')
  const [file, words] = [row.locator('.file-body'), row.getByText('All times', { exact: true })]
  const [above, below] = [await file.boundingBox(), await words.boundingBox()]
  expect((below?.y ?? 0) - ((above?.y ?? 0) + (above?.height ?? 0))).toBeGreaterThanOrEqual(3)
})

test('[APP-7.3] the address of a chat that is not here says so, and leads back', async ({
  bot,
  alice: { person: alice },
}) => {
  const { page } = alice
  await alice.starts(bot, 'Alice')
  const unknown = 'a'.repeat(26)
  for (const size of [DESK, PHONE])
    for (const place of [`c/${unknown}`, `info/${unknown}`]) {
      await page.setViewportSize(size)
      await page.evaluate(to => void (location.hash = to), place)
      await page.getByRole('heading', { name: 'Chat not found' }).first().waitFor()
      expect(await findingsOf(page)).toEqual([])
      await page.getByRole('main').getByRole('button', { name: 'Back' }).first().click()
      await page.getByRole('heading', { name: 'Chat not found' }).first().waitFor({ state: 'detached' })
    }
})

test('[APP-11.11] no field has its spelling checked', async ({ bot, alice: { person: alice } }) => {
  const { page } = alice
  await alice.starts(bot, 'Alice')
  const checked = (): Promise<number> =>
    page.evaluate(
      () => [...document.querySelectorAll<HTMLElement>('input, textarea')].filter(one => one.spellcheck).length,
    )
  await alice.field.waitFor()
  expect(await checked()).toBe(0)
  for (const place of ['settings/profile', 'new', 'new-group', 'settings/keep-account']) {
    await page.evaluate(to => void (location.hash = to), place)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    expect(await checked()).toBe(0)
  }
})

test('[APP-8.14] a chat in which something waits says so, and puts no clock on what the bot has said', async ({
  world,
  bot,
  alice: { person: alice, faults },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  await bot.says(chat, { text: 'At 18:40.' })
  const line = alice.page.getByRole('link', { name: /Harbour/ })
  await line.filter({ hasText: 'At 18:40.' }).waitFor()
  faults.mayBeCut = true
  await world.stopRelay()
  await alice.writes('written on the island')
  await line.filter({ hasText: 'Waiting to be sent' }).waitFor()
  expect(await line.innerText()).not.toContain('At 18:40.')
  await world.startRelay()
  await line.filter({ hasText: 'written on the island' }).waitFor()
  expect(await line.innerText()).not.toContain('Waiting')
})

test('[APP-14.10] nothing keeps anybody out of searching in a chat', async ({ bot, alice: { person: alice } }) => {
  const { page } = alice
  await alice.starts(bot, 'Alice')
  await page.setViewportSize(PHONE)
  await alice.presses('Search in this chat')
  await page.getByRole('searchbox', { name: 'Search in this chat' }).fill('start')
  expect(await findingsOf(page)).toEqual([])
})
