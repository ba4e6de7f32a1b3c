// The first minutes with the app: the link, the bot, its commands, buttons and polls, a photo, and all of it again
// after a reload.

import { expect } from 'vitest'
import { samplePhoto } from './sample-photo.ts'
import { originOf, test, testInChromium } from './walk-test.ts'

test('[APP-14.1] whoever opens the link and gives a name talks to the bot', async ({
  bot,
  alice: { person: alice },
}) => {
  await bot.introduces('Says when the ferries go.', [
    { name: 'next', description: 'The next ferry' },
    { name: 'from', description: 'Ferries from a pier', args: 'pier' },
  ])
  await alice.arrives(bot.link, 'Alice')
  await alice.page.getByText('Says when the ferries go.').waitFor()
  await alice.page.getByText('The bot’s owner can see this chat.').waitFor()
  await alice.presses('Start')
  const { chat_id } = await bot.hears('/start')
  await bot.says(chat_id, { text: 'Good morning, Alice.' })
  await alice.sees('Good morning, Alice.')
  // Neither the key of the link nor any other part stays where somebody could look over a shoulder.
  expect(alice.page.url()).not.toContain(new URL(bot.link).hash.split('/')[2])

  await alice.presses('Commands')
  await alice.page.getByRole('option', { name: 'The next ferry' }).click()
  await bot.hears('/next')
  await alice.presses('Commands')
  await alice.page.getByRole('option', { name: 'Ferries from a pier' }).click()
  expect(await alice.field.inputValue()).toBe('/from ')
  await alice.field.pressSequentially('North pier')
  await alice.presses('Send')
  await bot.hears('/from North pier')
})

test('[APP-14.2] a pressed button waits for the bot, and a link of a button is asked about', async ({
  bot,
  alice: { person: alice },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  const buttons = [
    [
      { text: 'Book', data: 'book' },
      { text: 'Count', data: 'count' },
    ],
    [{ text: 'Timetable', url: 'https://ferries.example/timetable?day=today' }],
  ]
  const message = await bot.says(chat, { text: 'The ferry at 18:40?', buttons })
  await alice.presses('Book')
  await alice.page.getByRole('button', { name: 'Book', disabled: true }).getByText('Waiting for the bot').waitFor()
  expect(await alice.button('Count').isDisabled()).toBe(true)
  const { button: press } = await bot.next('button')
  await bot.answers(press.press_id, 'Booked for 18:40.')
  await alice.seesToast('Booked for 18:40.')
  await alice.page.getByText('only you can see this').waitFor()

  await alice.presses('Count')
  await bot.next('button')
  await bot.edits(message, { text: 'Counted to 1.', buttons })
  await alice.sees('Counted to 1.')
  await alice.page.getByRole('button', { name: 'Count', disabled: false }).waitFor()

  await alice.presses(/^Timetable/)
  const dialog = alice.dialog('Open this link?')
  await dialog.getByText('https://ferries.example/timetable?day=today').waitFor()
  expect(await dialog.getByRole('button', { name: 'Cancel' }).evaluate(it => it === document.activeElement)).toBe(true)
  await alice.page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(alice.context.pages()).toHaveLength(1)
})

test('[APP-14.3, APP-14.49] a poll is voted in, photos go both ways, and both have buttons', async ({
  bot,
  alice: { person: alice },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  const buttons = [[{ text: 'Map', data: 'map' }]]
  const mentions = [{ user: chat, offset: 0, length: 5 }]
  await bot.asks(chat, { question: 'Alice, which pier?', options: ['North', 'South'], mentions, buttons })
  await alice.page.getByRole('radio', { name: 'South' }).click()
  const voted = await bot.next('poll')
  expect(voted.message.poll?.options.map(({ votes }) => votes)).toEqual([0, 1])
  await alice.page.getByText('100%, 1 vote, your vote').waitFor()
  await alice.page.getByRole('heading').getByRole('button', { name: 'Alice' }).waitFor()
  await alice.presses('Map')
  const { button: pressed } = await bot.next('button')
  expect(pressed).toMatchObject({ message_id: voted.message.id, data: 'map' })
  await bot.answers(pressed.press_id, 'Here it is.')

  const bytes = samplePhoto({ width: 640, height: 400 })
  const again = [[{ text: 'Again', data: 'again' }]]
  await bot.sendsPhoto(chat, { bytes, name: 'evening.png', caption: 'The pier now.', buttons: again })
  await alice.sees('The pier now.')
  await alice.presses('Again')
  const { button: wished } = await bot.next('button', ({ button }) => button.data === 'again')
  await bot.answers(wished.press_id, 'In a minute.')
  await alice.presses('View photo evening.png')
  const viewer = alice.dialog('Photo')
  const shown = viewer.getByRole('img', { name: 'evening.png' })
  await expect.poll(() => shown.evaluate(it => (it as HTMLImageElement).naturalWidth)).toBe(640)
  await viewer.getByRole('button', { name: 'Close' }).click()

  await alice.sendsPhoto({ bytes, name: 'mine.png', caption: 'And from my window.' })
  const { message } = await bot.next('message', update => update.message.file !== undefined)
  expect(message).toMatchObject({ text: 'And from my window.', file: { kind: 'photo', width: 640, height: 400 } })
  await alice.seesSent('And from my window.')
})

testInChromium(
  '[APP-11.10] a photo that is sent beside the field is the reply that stands there, ends it, and is shown at the end',
  async ({ bot, alice: { person: alice } }) => {
    const chat = await alice.starts(bot, 'Alice')
    const { id } = await bot.says(chat, { text: 'Show me.' })
    for (let at = 0; at < 30; at++) await bot.says(chat, { text: `Line ${at} of what the bot had to say.` })
    await alice.sees('Line 29 of')
    await (await alice.sees('Show me.')).click({ button: 'right' })
    await alice.chooses('Reply')
    await alice.page.getByText(/^Reply to/).waitFor()
    await alice.message('/start').scrollIntoViewIfNeeded()
    await alice.button(/Jump to latest/).waitFor()
    const bytes = samplePhoto({ width: 640, height: 400 })
    await alice.sendsPhoto({ bytes, name: 'mine.png', caption: 'From my window.' })
    const { message } = await bot.next('message', update => update.message.file !== undefined)
    expect(message.reply_to).toBe(id)
    await alice.button(/Jump to latest/).waitFor({ state: 'detached' })
    await alice.page.getByText(/^Reply to/).waitFor({ state: 'detached' })
  },
)

test('[APP-14.4] after a reload everything is there, also without a network; what is written then goes out once', async ({
  world,
  bot,
  alice: { person: alice, faults },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  await alice.writes('before the reload')
  await bot.hears('before the reload')
  await alice.page.reload()
  await alice.sees('before the reload')
  await alice.isKeptForOffline()

  faults.mayBeCut = true
  await world.stopRelay()
  await alice.page.reload()
  await alice.sees('before the reload')
  await alice.writes('written on the island')
  await alice.message('written on the island').getByText('Waiting to be sent').waitFor()
  await alice.page.reload()
  await alice.message('written on the island').getByText('Waiting to be sent').waitFor()
  await world.startRelay()
  await bot.hears('written on the island')
  await alice.seesSent('written on the island')
  expect(bot.textsOf(chat)).toEqual(['/start', 'before the reload', 'written on the island'])
  expect((await alice.texts()).filter(text => text.includes('written on the island'))).toHaveLength(1)
  expect(new URL(alice.page.url()).origin).toBe(originOf(world))
})
