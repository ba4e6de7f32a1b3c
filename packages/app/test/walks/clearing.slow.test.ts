// A person clears a history and deletes chats: asked first, on all tabs, and across reloads.
import type { AccountId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { Tour } from './tour.ts'
import { inviteOf, test } from './walk-test.ts'

test('[APP-14.42] a cleared history and a deleted chat are gone on every tab, after a question that says what stays', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  const account = await alice.starts(bot, 'Alice')
  await bot.says(account, { text: 'The ferry leaves at nine.' })
  await alice.sees('The ferry leaves at nine.')
  const tab = await alice.opensTab()
  await tab.sees('The ferry leaves at nine.')

  await alice.presses('More')
  await alice.chooses('Clear history')
  const asked = alice.dialog('Clear the history?')
  await asked.getByText(/The others keep their copies/).waitFor()
  const tour = new Tour(alice)
  await tour.looksAt('clear-history')
  tour.assertSound()
  await asked.getByRole('button', { name: 'Clear', exact: true }).click()
  // The chat is as new as on the first day, here and there.
  await alice.button('Start').waitFor()
  await tab.button('Start').waitFor()
  await alice.page.reload()
  await alice.button('Start').waitFor()
  await bot.says(account, { text: 'And at ten.' })
  await alice.sees('And at ten.')
  await tab.sees('And at ten.')
  expect(await alice.message('The ferry').count()).toBe(0)

  await alice.presses('More')
  await alice.chooses('Delete chat')
  await alice.dialog('Delete the chat?').getByRole('button', { name: 'Delete', exact: true }).click()
  await alice.page.getByRole('heading', { name: 'No chats yet' }).waitFor()
  await tab.page.getByText('Chat not found').waitFor()
  await bot.says(account, { text: 'And at eleven.' })
  await alice.page.getByRole('link', { name: /Harbour/ }).click()
  await alice.sees('And at eleven.')
  expect(await alice.texts()).toHaveLength(1)

  // A group is left.
  const bob = await world.person('Bob')
  await alice.page.goto(await inviteOf(world, bob.client))
  await alice.page.locator('button:enabled', { hasText: 'Start a chat' }).click()
  await alice.writes('Hello')
  await bob.hears('Hello')
  const members = [account as AccountId]
  const { id: group } = await bob.client.chats.createGroup({ name: 'Weekend', members }, WITHIN)
  await bob.say(group, 'Who brings the cake?')
  const go = (place: string) => alice.page.evaluate(to => void (location.hash = to), place)
  await go(`c/${group}`)
  await alice.presses('Accept')
  await alice.field.waitFor()
  await go(`info/${group}`)
  await alice.page.getByRole('heading', { name: 'Weekend' }).waitFor()
  await tour.looksAt('group-info-removal')
  tour.assertSound()
  await alice.presses('Delete chat')
  const leaving = alice.dialog('Delete the chat?')
  await leaving.getByText(/You leave the group, and the others see that/).waitFor()
  await leaving.getByRole('button', { name: 'Leave and delete' }).click()
  await bob.next('notice', ({ notice }) => notice.code === 'left')
  await alice.page.getByRole('link', { name: /Weekend/ }).waitFor({ state: 'detached' })
})
