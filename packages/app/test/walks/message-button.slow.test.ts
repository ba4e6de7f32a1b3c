// The button "Message" of a member of a group whom a person has never written to.
import type { AccountId, ChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './walk-test.ts'

test('[APP-13.14] "Message" in a member’s information opens the chat with that person, and what is written there arrives', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  const { page } = alice
  const account = (await alice.starts(bot, 'Alice')) as ChatId
  const [bob, carl] = [await world.person('Bob'), await world.person('Carl')]
  await bob.say(account, 'Hello from Bob')
  await page.evaluate(to => void (location.hash = to), `c/${bob.id}`)
  await alice.presses('Accept')
  await alice.field.waitFor()
  const members = [account as string as AccountId, carl.id]
  const { id: group } = await bob.client.chats.createGroup({ name: 'Weekend', members }, WITHIN)
  await carl.next('chat', ({ chat_id }) => chat_id === group)
  await carl.say(group, 'Ahoy')
  await page.evaluate(to => void (location.hash = to), `c/${group}`)
  await alice.sees('Ahoy')
  await alice.presses(/^About/)
  await page.getByRole('button').filter({ hasText: 'Carl' }).click()
  await alice.chooses('Profile')
  await page.getByRole('heading', { name: 'Carl' }).waitFor()
  await alice.presses('Message')
  const question = alice.dialog('Start a chat with Carl?')
  await question.getByText('Carl will see your name').waitFor()
  expect(carl.client.chats.list().filter(({ type }) => type === 'private')).toEqual([])
  await question.getByRole('button', { name: 'Start chat' }).click()
  // Until then the field beside the information is that of the group.
  await page.locator('.header-who', { hasText: 'Carl' }).waitFor()
  await alice.writes('Shall we sail?')
  await alice.seesSent('Shall we sail?')
  const { message } = await carl.next('message', ({ message }) => message.text === 'Shall we sail?')
  expect(message).toMatchObject({ chat_id: account, from: { name: 'Alice' } })
})
