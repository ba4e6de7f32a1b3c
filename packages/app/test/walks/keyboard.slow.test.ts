// A whole first visit without a pointer: by Tab, arrows, Enter and Escape alone.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { Keys } from './keys.ts'
import { test } from './walk-test.ts'
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
