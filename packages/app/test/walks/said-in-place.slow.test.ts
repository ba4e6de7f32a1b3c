// Texts that are too long, and actions that take long, are reported in place; and long names break nothing on the way.
import { type ChatId, contentLimits } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { samplePhoto } from './sample-photo.ts'
import { Tour } from './tour.ts'
import { test as walk } from './walk-test.ts'

const LONG_NAME = 'Harbour-of-the-Northern-Islands-and-all-their-Ferries'

const test = walk.extend('gateway', { scope: 'file' }, async ({ world }) => {
  const gateway = await world.gateway({ BOT_NAME: LONG_NAME })
  await gateway.client.whenOnline(WITHIN)
  return gateway
})

test('[APP-12.10] a caption that is too long is refused in the dialog, and the files stay', async ({
  bot,
  alice: { person: alice },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  await alice.presses('Attach')
  const choosing = alice.page.waitForEvent('filechooser')
  await alice.chooses('Photo or video')
  const buffer = Buffer.from(samplePhoto({ width: 96, height: 60 }))
  await (await choosing).setFiles([
    { name: `${'pier-'.repeat(40)}.png`, mimeType: 'image/png', buffer },
    { name: 'timetable.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') },
  ])
  const dialog = alice.dialog('Send 2 files?')
  const caption = dialog.getByRole('textbox', { name: 'Caption' })
  const send = dialog.getByRole('button', { name: 'Send', exact: true })
  await caption.fill('x'.repeat(contentLimits.textCharsMax + 3))
  await dialog.getByText('3 characters over the limit').waitFor()
  expect(await send.isDisabled()).toBe(true)
  const tour = new Tour(alice)
  await tour.looksAt('caption-too-long')
  await caption.fill('Now.')
  await send.click()
  await bot.next('message', ({ chat_id, message }) => chat_id === chat && message.text === 'Now.')
  await alice.seesSent('timetable.pdf')
  await tour.looksAt('files-sent')
  tour.assertSound()
})

test('[APP-13.5] whoever saves a file under six words is told that it takes some seconds', async ({
  bot,
  alice: { person: alice },
}) => {
  await alice.starts(bot, 'Alice')
  await alice.page.evaluate(() => void (location.hash = '#settings/keep-account'))
  await alice.presses('Save a recovery file')
  await alice.readsSixWords()
  await alice.page.getByRole('switch', { name: 'I wrote them down' }).click()
  const downloading = alice.page.waitForEvent('download')
  await alice.presses('Save recovery file')
  await alice.button('This takes a few seconds…').waitFor()
  await downloading
  await alice.button('Save recovery file').waitFor()
})

test('[APP-9.16] a long name or word in a toast breaks no screen', async ({ bot, alice: { person: alice } }) => {
  const chat = await alice.starts(bot, 'Alice')
  await bot.says(chat, { text: 'Well?', buttons: [[{ text: 'Yes', data: 'yes' }]] })
  await alice.presses('Yes')
  const { button } = await bot.next('button')
  await bot.answers(button.press_id, 'W'.repeat(180))
  await alice.seesToast('only you can see this')
  const tour = new Tour(alice)
  await alice.page.locator('.toast').hover()
  await tour.looksAt('toast-of-long-words')
  tour.assertSound()
})

test('[APP-14.57] the information about a person or a group shows all of a long name', async ({
  world,
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp({ viewport: { width: 390, height: 844 } })
  const account = await alice.starts(bot, 'Alice')
  const name = 'All who wait for the ferry in the northern harbour'
  const friend = await world.person(name)
  await friend.say(account as ChatId, 'Hello')
  const { id: group } = await bot.gateway.client.chats.createGroup(
    { name: `${name} `.repeat(2), members: [account as never] },
    WITHIN,
  )
  const tour = new Tour(alice)
  for (const [place, shown] of [
    [`info/${group}`, `${name} ${name}`],
    [`p/${friend.id}`, name],
  ] as const) {
    await alice.page.evaluate(to => void (location.hash = to), place)
    const heading = alice.page.getByRole('heading', { name: shown, exact: true }).locator('bdi')
    await heading.waitFor()
    const seen = await heading.evaluate(it => ({
      hidden: it.scrollWidth - it.clientWidth,
      height: it.getClientRects()[0]?.height ?? 0,
    }))
    expect({ place, ...seen }).toEqual({ place, hidden: 0, height: expect.toSatisfy((height: number) => height > 40) })
    await tour.looksAt(place.startsWith('info') ? 'long-name-of-group' : 'long-name-of-person')
  }
  tour.assertSound()
})

const FORMATTED = `**Deploy failed** on _staging_, ~~retrying~~
\`\`\`sh
kubectl rollout undo deployment/${'web-'.repeat(30)}
\`\`\`
> the disk is full
See [the log](https://ferries.example/log) or \`df -h\`. The password is ||hunter2||.`

test('[APP-9.19, APP-9.20, APP-11.12] a formatted text is shown by elements, a spoiler when it is pressed, and a link after a question', async ({
  bot,
  alice: { person: alice },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  await bot.says(chat, { text: FORMATTED, format: 'markdown' })
  const message = alice.page.getByRole('article').filter({ hasText: 'Deploy failed' })
  await message.waitFor()
  expect(await message.locator('strong').innerText()).toBe('Deploy failed')
  const code = message.locator('pre')
  expect(await code.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(true)
  const tour = new Tour(alice)
  await tour.looksAt('formatted')
  const hidden = message.getByRole('button', { name: 'Hidden text' })
  await hidden.press('Enter')
  await hidden.waitFor({ state: 'detached' })
  await message.getByText('hunter2').waitFor()
  await message.getByRole('button', { name: 'the log' }).click()
  await alice.dialog('Open this link?').getByText('ferries.example').waitFor()
  await alice.presses('Cancel')
  await alice.field.fill('It is **fixed**')
  await alice.field.press('Enter')
  const { message: heard } = await bot.next('message', ({ message: { text } }) => text === 'It is fixed')
  expect(heard.entities).toEqual([{ type: 'bold', offset: 6, length: 5 }])
  tour.assertSound()
})
