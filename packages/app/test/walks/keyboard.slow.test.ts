// A whole first visit without a pointer: by Tab, arrows, Enter and Escape alone.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { Keys } from './keys.ts'
import { samplePhoto } from './sample-photo.ts'
import { inviteOf, test } from './walk-test.ts'
import type { WalkingBot } from './walking-bot.ts'

type Visit = { alice: AppPerson; page: Page; keys: Keys; bot: WalkingBot }

/** The bot's answer to the question for the next ferry. */
const ferryIn = (page: Page): Locator => page.getByRole('article', { name: /^Harbour At 18:40/ })

async function arrives({ alice, page, keys, bot }: Visit): Promise<string> {
  await page.goto(bot.link)
  await keys.isAt(page.getByRole('textbox', { name: 'Your name' }))
  await keys.type('Alice')
  await keys.tabsTo(alice.button(/^Start (a chat with|chat)/))
  await keys.press('Enter')
  await alice.button('Start').waitFor()
  await keys.isAt(alice.button('Start'))
  await keys.press('Enter')
  const { chat_id: chat } = await bot.hears('/start')
  await alice.seesSent('/start')
  await keys.isAt(alice.field)
  return chat
}

/** A command from the list, then the buttons under the answer. */
async function asksAndPresses({ alice, page, keys, bot }: Visit, chat: string): Promise<void> {
  await keys.type('/')
  await page.getByRole('option', { name: 'The next ferry' }).waitFor()
  await keys.press('ArrowDown', 'ArrowUp', 'Enter')
  await bot.hears('/next')
  await keys.isAt(alice.field)
  await bot.says(chat, {
    text: 'At 18:40.',
    buttons: [[{ text: 'Keep a seat', data: 'seat' }], [{ text: 'Timetable', url: 'https://ferries.example/' }]],
  })
  await keys.tabsTo(alice.button('Keep a seat'), 'Shift+Tab')
  await keys.press('Enter')
  const { button } = await bot.next('button')
  await bot.answers(button.press_id, 'Seat 14.')
  await alice.seesToast('Seat 14.')
  await keys.isSomewhere()
  await keys.tabsTo(alice.button(/^Timetable/), 'Tab')
  await keys.press('Enter')
  await alice.dialog('Open this link?').waitFor()
  await keys.isAt(alice.dialog('Open this link?').getByRole('button', { name: 'Cancel' }))
  await keys.press('Escape')
  await alice.dialog('Open this link?').waitFor({ state: 'detached' })
  await keys.isAt(alice.button(/^Timetable/))
}

async function replies({ alice, page, keys, bot }: Visit): Promise<void> {
  const ferry = ferryIn(page)
  await keys.tabsTo(ferry, 'Shift+Tab')
  await keys.press('Enter')
  await keys.arrowsTo(page.getByRole('menuitem', { name: 'Reply' }))
  await keys.press('Enter')
  await keys.isAt(alice.field)
  await keys.type('I come along')
  await keys.press('Enter')
  const { message } = await bot.hears('I come along')
  expect(message.reply_to).toBeDefined()
  await alice.seesSent('I come along')
  await keys.isAt(alice.field)
}

async function reacts({ alice, page, keys, bot }: Visit): Promise<void> {
  const ferry = ferryIn(page)
  await keys.tabsTo(alice.message('I come along'), 'Shift+Tab')
  await keys.arrowsTo(ferry, 'ArrowUp')
  await keys.press('Enter')
  await keys.isAt(page.getByRole('menuitem').first())
  await keys.press('Enter')
  const { reaction } = await bot.next('reaction')
  expect(reaction.emoji).not.toBe('')
  await keys.isAt(ferry)
}

/** First cancelled, and then for everyone. */
async function deletes({ alice, page, keys }: Visit): Promise<void> {
  await keys.press('ArrowDown', 'Enter')
  await keys.arrowsTo(page.getByRole('menuitem', { name: 'Delete' }))
  await keys.press('Enter')
  await keys.isAt(alice.dialog('Delete this message?').getByRole('button', { name: 'Cancel' }))
  await keys.press('Enter')
  await alice.dialog('Delete this message?').waitFor({ state: 'detached' })
  await keys.isAt(alice.message('I come along'))
  await keys.press('Enter')
  await keys.arrowsTo(page.getByRole('menuitem', { name: 'Delete' }))
  await keys.press('Enter')
  await keys.tabsTo(alice.button('Delete for everyone'))
  await keys.press('Enter')
  await alice.message('I come along').waitFor({ state: 'detached' })
  await keys.isSomewhere()
  await keys.press('Escape')
  await keys.isAt(alice.field)
}

/** In the chat, then everywhere. */
async function searches({ alice, page, keys }: Visit): Promise<void> {
  await keys.tabsTo(alice.button('Search in this chat'), 'Shift+Tab')
  await keys.pressAndType('18:40')
  await page.getByText('1 message found').waitFor()
  await keys.tabsTo(page.getByRole('search').getByRole('button', { name: /At 18:40/ }))
  await keys.press('Enter')
  await keys.isSomewhere()
  await keys.tabsTo(alice.button('Close search'), 'Shift+Tab')
  await keys.press('Enter')
  await keys.isSomewhere()
  await keys.press('Control+k')
  await keys.isAt(page.getByRole('textbox', { name: 'Search', exact: true }))
  await keys.type('Harbour')
  await page.getByRole('heading', { name: 'Chats' }).waitFor()
  await keys.arrowsTo(page.getByRole('link', { name: /^Harbour/ }).first())
  await keys.press('Enter')
  await keys.isSomewhere()
}

async function visitsSettings({ alice, page, keys }: Visit): Promise<void> {
  await keys.tabsTo(alice.button('Menu'), 'Shift+Tab')
  await keys.press('Enter')
  await keys.arrowsTo(page.getByRole('menuitem', { name: 'Settings' }))
  await keys.press('Enter')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await keys.tabsTo(alice.button(/^Appearance/))
  await keys.press('Enter')
  await page.getByRole('heading', { name: 'Appearance' }).waitFor()
  await keys.isSomewhere()
  await keys.tabsTo(alice.button('Back').last(), 'Shift+Tab')
  await keys.press('Enter')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await keys.isSomewhere()
}

test('[APP-14.20] everything is reached by the keyboard, and the keyboard is never lost', async ({
  bot,
  alice: { person: alice },
}) => {
  await bot.introduces('Says when the ferries go.', [{ name: 'next', description: 'The next ferry' }])
  const { page } = alice
  const visit: Visit = { alice, page, keys: new Keys(page), bot }
  const chat = await arrives(visit)
  await asksAndPresses(visit, chat)
  await replies(visit)
  await reacts(visit)
  await deletes(visit)
  await searches(visit)
  await visitsSettings(visit)
})

/** One answer of several, and then the results are there. */
async function votes({ alice, page, keys, bot }: Visit, chat: string): Promise<void> {
  await bot.asks(chat, { question: 'Which pier?', options: ['North', 'South'] })
  await keys.tabsTo(page.getByRole('radio', { name: 'South' }), 'Shift+Tab')
  await keys.arrowsTo(page.getByRole('radio', { name: 'North' }), 'ArrowUp')
  await keys.press('ArrowDown', 'Space')
  const { message } = await bot.next('poll')
  expect(message.poll?.options.map(({ votes: count }) => count)).toEqual([0, 1])
  await page.getByText('your vote').waitFor()
  await keys.isSomewhere()
  await keys.press('Escape')
  await keys.isAt(alice.field)
}

/** From the newest message: a row is reached by Shift+Tab, others from there by the arrows. */
async function isAtRow({ alice, keys }: Visit, words: string): Promise<void> {
  await keys.tabsTo(alice.message(/./).last(), 'Shift+Tab')
  await keys.arrowsTo(await alice.sees(words), 'ArrowUp')
}

async function edits(visit: Visit): Promise<void> {
  const { alice, page, keys, bot } = visit
  await keys.type('At tan')
  await keys.press('Enter')
  await bot.hears('At tan')
  await alice.seesSent('At tan')
  await isAtRow(visit, 'At tan')
  await keys.press('Enter')
  await keys.arrowsTo(page.getByRole('menuitem', { name: 'Edit' }))
  await keys.press('Enter')
  await keys.isAt(alice.field)
  await keys.press('Backspace', 'Backspace', 'Backspace')
  await keys.type('ten')
  await keys.press('Enter')
  await bot.next('edited', ({ message }) => message.text === 'At ten')
  await alice.sees('At ten')
  await keys.isAt(alice.field)
}

async function forwardsTwo(visit: Visit): Promise<void> {
  const { alice, page, keys } = visit
  await isAtRow(visit, 'At ten')
  await keys.press('Enter')
  await keys.arrowsTo(page.getByRole('menuitem', { name: 'Select' }))
  await keys.press('Enter')
  await page.getByRole('heading', { name: '1 selected' }).waitFor()
  await keys.isAt(alice.message('At ten'))
  await keys.arrowsTo(alice.message('/start'), 'ArrowUp')
  await keys.press('Space')
  await page.getByRole('heading', { name: '2 selected' }).waitFor()
  await keys.press('Space')
  await page.getByRole('heading', { name: '1 selected' }).waitFor()
  await keys.press('Space')
  await keys.tabsTo(alice.button('Forward'), 'Shift+Tab')
  await keys.press('Enter')
  await keys.tabsTo(alice.dialog('Forward to').getByRole('checkbox', { name: /Bob/ }))
  await keys.press('Space')
  await keys.tabsTo(alice.dialog('Forward to').getByRole('button', { name: 'Forward' }))
  await keys.press('Enter')
  await page.getByRole('heading', { name: 'Harbour' }).waitFor()
  await keys.isSomewhere()
}

/** Deselecting the last one ends it, and so does Escape. */
async function endsSelecting(visit: Visit): Promise<void> {
  const { alice, page, keys } = visit
  for (const end of ['Space', 'Escape']) {
    await isAtRow(visit, 'At ten')
    await keys.press('Enter')
    await keys.arrowsTo(page.getByRole('menuitem', { name: 'Select' }))
    await keys.press('Enter')
    await page.getByRole('heading', { name: '1 selected' }).waitFor()
    await keys.tabsTo(alice.message('At ten').getByRole('checkbox'))
    await keys.press(end)
    await page.getByRole('heading', { name: 'Harbour' }).waitFor()
    await keys.isSomewhere()
    await keys.press('Escape')
    await keys.isAt(alice.field)
  }
}

async function views({ alice, keys, bot }: Visit, chat: string): Promise<void> {
  await bot.sendsPhoto(chat, { bytes: samplePhoto({ width: 60, height: 40 }), name: 'pier.png', caption: '' })
  const photo = alice.button('View photo pier.png')
  await keys.tabsTo(photo, 'Shift+Tab')
  await keys.press('Enter')
  const viewer = alice.dialog('Photo')
  await viewer.getByRole('img', { name: 'pier.png' }).waitFor()
  await keys.isSomewhere()
  await keys.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  await keys.isAt(photo)
}

async function leavesGroup({ alice, page, keys }: Visit): Promise<void> {
  await page.evaluate(() => void (location.hash = 'new-group'))
  await keys.tabsTo(page.getByRole('textbox', { name: 'Group name' }))
  await keys.type('Island')
  await keys.tabsTo(page.getByRole('checkbox', { name: /Bob/ }))
  await keys.press('Space')
  await keys.tabsTo(alice.button('Create group'))
  await keys.press('Enter')
  await keys.isAt(alice.field)
  await keys.tabsTo(alice.button(/^About/), 'Shift+Tab')
  await keys.press('Enter')
  await keys.tabsTo(alice.button('Leave group'))
  await keys.press('Enter')
  await keys.tabsTo(alice.dialog(/^Leave /).getByRole('button', { name: 'Leave group' }), 'Shift+Tab')
  await keys.press('Enter')
  await alice.button('Leave group').waitFor({ state: 'detached' })
  await keys.isSomewhere()
}

test('[APP-14.20] a vote, an edit, selected messages, a photo and leaving a group need the keyboard alone', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  const { page } = alice
  const visit: Visit = { alice, page, keys: new Keys(page), bot }
  const bob = await world.person('Bob')
  const chat = await alice.starts(bot, 'Alice')
  const harbour = await page.evaluate(() => location.hash)
  await page.goto(await inviteOf(world, bob.client))
  await page.locator('button:enabled', { hasText: 'Start a chat' }).click()
  await alice.writes('Hello Bob')
  await bob.hears('Hello Bob')
  await page.evaluate(to => void (location.hash = to), harbour)
  await alice.sees('/start')
  await alice.field.focus()
  await votes(visit, chat)
  await edits(visit)
  await endsSelecting(visit)
  await forwardsTwo(visit)
  expect(await bob.hears('At ten')).toMatchObject({ forwarded: true })
  await views(visit, chat)
  await leavesGroup(visit)
})
