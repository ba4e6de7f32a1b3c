// Actions of people on each other in the app: they add, remove, leave and block, and use disappearing messages.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN, type World } from '@postern/testkit'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { test } from './walk-test.ts'
import type { WalkingBot } from './walking-bot.ts'

/** Long enough to be seen on a busy machine, and soon over. */
const TIMER_MS = 4_000

const go = ({ page }: AppPerson, place: string): Promise<void> => page.evaluate(to => void (location.hash = to), place)

/** A person who has written to her, and whom she has accepted. */
async function befriends(
  alice: AppPerson,
  world: World,
  { name, account }: { name: string; account: string },
): Promise<TestPerson> {
  const friend = await world.person(name)
  await friend.say(account as ChatId, `Hello from ${name}`)
  await go(alice, `c/${friend.id}`)
  await alice.presses('Accept')
  await alice.field.waitFor()
  return friend
}

async function makesGroup(alice: AppPerson, people: TestPerson[]): Promise<ChatId> {
  await go(alice, 'new-group')
  await alice.page.getByRole('textbox', { name: 'Group name' }).fill('Weekend')
  for (const { name } of people) await alice.page.getByRole('checkbox', { name: new RegExp(name) }).check()
  await alice.presses('Create group')
  await alice.writes('Welcome')
  const [first, ...others] = people
  for (const person of others) await person.hears('Welcome')
  const { chat_id } = (await first?.next('message', ({ message }) => message.text === 'Welcome')) ?? {}
  if (!chat_id) throw new Error('nobody was welcomed')
  return chat_id
}

/** A line that nobody wrote. Names in it are separated by invisible characters. */
const line = ({ page }: AppPerson, words: RegExp) => page.getByRole('log').getByText(words)

async function pressesInVain(alice: AppPerson, bot: WalkingBot, chat: string): Promise<void> {
  await bot.says(chat, { text: 'Ferry?', buttons: [[{ text: 'Book', data: 'book' }]] })
  await alice.presses('Book')
  await alice.page.getByRole('button', { name: 'Book', disabled: true }).waitFor()
}

test('[APP-14.23] who is removed, brought in, blocked or leaves is told in a line; words disappear', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  const account = await alice.starts(bot, 'Alice')
  const talk = await alice.page.evaluate(() => location.hash)
  await pressesInVain(alice, bot, account)
  const bob = await befriends(alice, world, { name: 'Bob', account })
  const carol = await befriends(alice, world, { name: 'Carol', account })
  const group = await makesGroup(alice, [bob, carol])

  await go(alice, `info/${group}`)
  await alice.presses(/Carol/)
  await alice.chooses('Remove from group')
  await alice
    .dialog(/Remove Carol/)
    .getByRole('button', { name: 'Remove from group' })
    .click()
  await carol.next('notice', ({ notice }) => notice.code === 'removed')
  await go(alice, `c/${group}`)
  await line(alice, /You removed .*Carol/).waitFor()

  await bob.client.chats.addMembers(group, [bot.gateway.client.account], WITHIN)
  await line(alice, /Bob.* added the bot .*Harbour.*Its owner receives every message/).waitFor()
  await bob.client.chats.setTimer(group, TIMER_MS, WITHIN)
  await line(alice, /Bob.* set messages to disappear/).waitFor()
  // An address alone reads nothing: the time of a message begins once alice has pressed something here.
  await alice.field.click()
  // Watched before it is sent: on a busy machine it could be gone again.
  await Promise.all([alice.sees('soon gone'), bob.say(group, 'soon gone')])
  await alice.message('soon gone').waitFor({ state: 'detached' })
  await alice.sees('Welcome')

  await alice.presses('More')
  await alice.chooses('Leave group')
  await alice.dialog(/Leave/).getByRole('button', { name: 'Leave group' }).click()
  await alice.page.getByText('You are no longer in this group.').waitFor()
  await bob.next('notice', ({ notice }) => notice.code === 'left')
  expect(await alice.field.count()).toBe(0)

  await go(alice, `c/${carol.id}`)
  await alice.presses('More')
  await alice.chooses('Block')
  await alice.dialog(/Block/).getByRole('button', { name: 'Block', exact: true }).click()
  await alice.page.getByText('You blocked this account.').waitFor()
  await carol.say(account as ChatId, 'are you there?')
  await bob.say(account as ChatId, 'I am here')
  await go(alice, `c/${bob.id}`)
  await alice.sees('I am here')
  await go(alice, `c/${carol.id}`)
  await alice.sees('Hello from Carol')
  expect(await alice.message('are you there?').count()).toBe(0)

  await go(alice, talk)
  await alice.page.getByText('The bot did not respond').waitFor()
  await alice.page.getByRole('button', { name: 'Book', disabled: false }).waitFor()
})
