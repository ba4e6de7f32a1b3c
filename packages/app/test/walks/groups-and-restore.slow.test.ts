// A group with a bot in it, and an account that is restored in an empty browser.
import { join } from 'node:path'
import type { ChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { originOf, test } from './walk-test.ts'

const go = (person: AppPerson, place: string): Promise<void> =>
  person.page.evaluate(to => void (location.hash = to), place)

const isFocused = (element: Element): boolean => element === document.activeElement

test('[APP-14.14] who makes a group with a bot is warned first, with the focus on Cancel', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  const account = await alice.starts(bot, 'Alice')
  const bob = await world.person('Bob')
  await bob.say(account as ChatId, 'Hello!')
  await go(alice, `c/${bob.id}`)
  await alice.presses('Accept')
  await go(alice, 'new-group')
  await alice.page.getByRole('textbox', { name: 'Group name' }).fill('Weekend')
  await alice.page.getByRole('checkbox', { name: /Bob/ }).check()
  await alice.page.getByRole('checkbox', { name: /Harbour/ }).check()
  await alice.presses('Create group')
  const warning = alice.dialog(/Add the bot Harbour/)
  expect(await warning.getByRole('button', { name: 'Cancel' }).evaluate(isFocused)).toBe(true)
  await alice.page.keyboard.press('Enter')
  await warning.waitFor({ state: 'detached' })
  await alice.presses('Create group')
  await alice.presses('Add bot')
  await alice.writes('Who comes along?')
  await bob.hears('Who comes along?')
  const { chat_id } = await bot.hears('Who comes along?')
  await bot.says(chat_id, { text: 'I do.' })
  await alice.sees('I do.')
  await bob.client.chats.renameGroup(chat_id, 'Long weekend', WITHIN)
  await alice.page
    .getByRole('log')
    .getByText(/Long weekend/)
    .waitFor()
})

/** The six words and the file, as a person writes down the former and saves the latter. */
async function keeps(person: AppPerson, { file, path }: { file: string; path: string }): Promise<string> {
  await go(person, 'settings/keep-account')
  await person.presses('Save a recovery file')
  const words = await person.readsSixWords()
  expect(words).toHaveLength(6)
  await person.page.getByRole('switch', { name: 'I wrote them down' }).click()
  const saving = person.page.waitForEvent('download')
  await person.presses(file)
  await (await saving).saveAs(path)
  return words.join(' ')
}

test('[APP-14.15] an account that is opened elsewhere says so, and can be taken back', async ({
  world,
  bot,
  openApp,
}) => {
  const kind = 'Save full backup'
  const { person: alice, faults } = await openApp()
  const chat = await alice.starts(bot, `Alice with ${kind.toLowerCase()}`)
  await alice.writes('before')
  await bot.hears('before')
  const path = join(world.directory, kind)
  const words = await keeps(alice, { file: kind, path })
  const { person: anew, faults: others } = await openApp()
  // The old device logs it, too.
  for (const found of [faults, others]) found.expected = /another program with the keys/
  await anew.page.goto(originOf(world))
  await anew.presses('I have a recovery file')
  const choosing = anew.page.waitForEvent('filechooser')
  await anew.presses('Choose file')
  await (await choosing).setFiles(path)
  await anew.page.getByRole('textbox', { name: 'Six words' }).fill(words)
  await anew.presses('Restore')
  await alice.page.getByRole('heading', { name: 'Your account is open on another device' }).waitFor()
  await anew.page.getByRole('link', { name: /Harbour/ }).click()
  await anew.sees('before')
  await anew.writes('after')
  await bot.hears('after')
  expect(bot.textsOf(chat)).toEqual(['/start', 'before', 'after'])
  await alice.presses('Use here')
  await anew.page.getByRole('heading', { name: 'Your account is open on another device' }).waitFor()
})
