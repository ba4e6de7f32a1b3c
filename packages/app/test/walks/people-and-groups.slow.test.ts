// Actions of people on each other in the app: they add, remove, leave and block, and use disappearing messages.
import type { ChatId } from '@postern/protocol'
import { parseGroupLink } from '@postern/protocol/content'
import { type TestPerson, WITHIN, type World } from '@postern/testkit'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { samplePhoto } from './sample-photo.ts'
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

/** She sets it in the group's information: it is shown there, in the list and above the conversation. */
async function setsPicture(alice: AppPerson, group: ChatId): Promise<void> {
  await go(alice, `info/${group}`)
  const choosing = alice.page.waitForEvent('filechooser')
  await alice.presses('Choose picture')
  const buffer = Buffer.from(samplePhoto({ width: 640, height: 400 }))
  await (await choosing).setFiles({ name: 'harbour.png', mimeType: 'image/png', buffer })
  await alice.page.locator('.group-info-head img').waitFor()
  await alice.page
    .getByRole('link', { name: /Weekend/ })
    .locator('img')
    .waitFor()
  await go(alice, `c/${group}`)
  await alice.page.locator('.header-who img').waitFor()
}

/** She makes a link, one person who asks by it is added and another is declined, and then she revokes it. */
async function admitsByLink(alice: AppPerson, world: World, group: ChatId): Promise<void> {
  await go(alice, `info/${group}`)
  await alice.presses('Invite link')
  await alice.presses('Create link')
  const url = await alice.page.locator('.shared-link').innerText()
  const [dora, erik] = [await world.person('Dora', { acceptRequests: 'ask' }), await world.person('Erik')]
  for (const person of [dora, erik]) await person.client.groupLinks.ask(parseGroupLink(url), WITHIN)
  await go(alice, `c/${group}`)
  const requests = alice.page.getByRole('region', { name: 'Requests to join' })
  const answers = async (name: string, answer: 'Add' | 'Decline'): Promise<void> => {
    const row = requests.getByRole('listitem').filter({ hasText: name })
    await row.getByRole('button', { name: answer }).click()
    await row.waitFor({ state: 'detached' })
  }
  await answers('Dora', 'Add')
  await dora.next('chat', ({ chat_id, chat }) => chat_id === group && chat.state === 'active')
  await answers('Erik', 'Decline')
  await requests.waitFor({ state: 'detached' })
  await expect.poll(() => erik.client.groupLinks.asked().map(({ state }) => state)).toEqual(['declined'])
  await line(alice, /You added .*Dora/).waitFor()
  await go(alice, `link/${group}`)
  await alice.presses('Revoke link')
  await alice.dialog('Revoke this link?').getByRole('button', { name: 'Revoke link' }).click()
  await alice.button('Create link').waitFor()
}

/** A line that nobody wrote. Names in it are separated by invisible characters. */
const line = ({ page }: AppPerson, words: RegExp) => page.getByRole('log').getByText(words)

/** Repeated until it is seen: on a busy machine the seconds of one could be over. */
async function seeEachOtherType(
  alice: AppPerson,
  [bob, carol]: [TestPerson, TestPerson],
  group: ChatId,
): Promise<void> {
  const isSeen = async () => {
    for (const friend of [bob, carol]) await friend.client.typing.send(group, WITHIN)
    return await alice.page.locator('.header-typing', { hasText: 'are typing…' }).isVisible()
  }
  await expect.poll(isSeen).toBe(true)
  const isHeard = async () => {
    await alice.field.press('x')
    return bob.client.typing.now().some(({ chat, person }) => chat === group && person.name === 'Alice')
  }
  await expect.poll(isHeard).toBe(true)
  await alice.field.fill('')
}

async function pressesInVain(alice: AppPerson, bot: WalkingBot, chat: string): Promise<void> {
  await bot.says(chat, { text: 'Ferry?', buttons: [[{ text: 'Book', data: 'book' }]] })
  await alice.presses('Book')
  await alice.page.getByRole('button', { name: 'Book', disabled: true }).waitFor()
}

test('[APP-14.23, APP-1.24, APP-10.24, APP-10.21, APP-10.22] who asks by a link, is removed, brought in, blocked or leaves is told in a line; words disappear', async ({
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
  await setsPicture(alice, group)
  await line(alice, /You changed the group picture/).waitFor()
  await bob.next('notice', ({ notice }) => notice.code === 'picture')
  expect(bob.client.chats.groupPictures()).toHaveLength(1)
  await seeEachOtherType(alice, [bob, carol], group)

  await admitsByLink(alice, world, group)

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
