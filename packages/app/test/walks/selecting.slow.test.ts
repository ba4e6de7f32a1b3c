// A person selects messages, forwards them to another chat, copies and deletes them.
import { expect } from 'vitest'
import { Tour } from './tour.ts'
import { inviteOf, test } from './walk-test.ts'

test('[APP-14.43] selected messages are counted, forwarded with a mark and deleted together, and Esc ends it', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  const bob = await world.person('Bob')
  const account = await alice.starts(bot, 'Alice')
  const talk = await alice.page.evaluate(() => location.hash)
  await alice.page.goto(await inviteOf(world, bob.client))
  await alice.page.locator('button:enabled', { hasText: 'Start a chat' }).click()
  await alice.field.waitFor()
  await alice.page.evaluate(to => void (location.hash = to), talk)
  await alice.sees('/start')
  for (const text of ['The ferry leaves at nine.', 'And at ten.', 'Nothing at eleven.'])
    await bot.says(account, { text })
  await alice.sees('Nothing at eleven.')

  await (await alice.sees('The ferry leaves at nine.')).click({ button: 'right' })
  await alice.chooses('Select')
  await alice.page.getByRole('heading', { name: '1 selected' }).waitFor()
  await (await alice.sees('And at ten.')).click()
  await alice.page.getByRole('heading', { name: '2 selected' }).waitFor()
  const tour = new Tour(alice)
  await tour.looksAt('selecting')
  await alice.presses('Forward')
  const dialog = alice.dialog('Forward to')
  await dialog.getByRole('checkbox', { name: /Bob/ }).check()
  await tour.looksAt('forward')
  tour.assertSound()
  await dialog.getByRole('button', { name: 'Forward' }).click()
  expect(await bob.hears('The ferry leaves at nine.')).toMatchObject({ forwarded: true })
  expect(await bob.hears('And at ten.')).toMatchObject({ forwarded: true })
  // The selection is over, and a tap is a tap again.
  await alice.page.getByRole('heading', { name: 'Harbour' }).waitFor()
  await alice.page.evaluate(to => void (location.hash = `c/${to}`), bob.id)
  await (await alice.sees('And at ten.')).getByText('Forwarded').waitFor()
  await tour.looksAt('forwarded')
  tour.assertSound()

  await alice.page.evaluate(to => void (location.hash = to), talk)
  await (await alice.sees('And at ten.')).click({ button: 'right' })
  await alice.chooses('Select')
  await alice.page.getByRole('heading', { name: '1 selected' }).waitFor()
  await alice.page.keyboard.press('Escape')
  await alice.page.getByRole('heading', { name: 'Harbour' }).waitFor()
  await (await alice.sees('And at ten.')).click({ button: 'right' })
  await alice.chooses('Select')
  await (await alice.sees('Nothing at eleven.')).click()
  await alice.presses('Delete')
  await alice.dialog('Delete 2 messages?').getByRole('button', { name: 'Delete for me' }).click()
  await alice.message('And at ten.').waitFor({ state: 'detached' })
  await alice.message('Nothing at eleven.').waitFor({ state: 'detached' })
  await alice.sees('The ferry leaves at nine.')
})
