// Every screen of the app with real people, bots and messages, in both schemes, on a phone and at a desk.
import type { ChatId } from '@postern/protocol'
import { settingsParts } from '../../src/router.ts'
import type { AppPerson } from './app-person.ts'
import { samplePhoto } from './sample-photo.ts'
import { Tour } from './tour.ts'
import { inviteOf, originOf, test } from './walk-test.ts'

const go = (person: AppPerson, place: string): Promise<void> =>
  person.page.evaluate(to => void (location.hash = to), place)

test('[APP-14.10] nothing keeps anybody out of the screens before there is an account', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  const tour = new Tour(alice)
  await bot.introduces('Says when the ferries go.', [{ name: 'next', description: 'The next ferry' }])
  await alice.page.goto(bot.link)
  await alice.button(/^Start (a chat with|chat)/).waitFor()
  await tour.looksAt('arriving')
  await alice.presses('I have a recovery file')
  await alice.button('Restore').waitFor()
  await tour.looksAt('restore')
  await alice.page.goto(originOf(world))
  await alice.page.reload()
  await alice.button('Get started').waitFor()
  await tour.looksAt('welcome')
  await alice.presses('Move from another device')
  await alice.page.getByRole('textbox', { name: 'Code from the other device' }).waitFor()
  await tour.looksAt('move-code')
  tour.assertSound()
})

test('[APP-14.10] nothing keeps anybody out of what is asked before a chat is opened or an account moves', async ({
  world,
  bot,
  openApp,
}) => {
  const [{ person: alice }, { person: fresh }] = [await openApp(), await openApp()]
  await alice.starts(bot, 'Alice')
  const carol = await world.person('carol')
  await alice.page.goto(await inviteOf(world, carol.client))
  await alice.button('Start a chat with carol').waitFor()
  await alice.page.locator('button:enabled', { hasText: 'Start a chat' }).waitFor()
  const tour = new Tour(alice)
  await tour.looksAt('invite-asked')
  await alice.presses('Not now')
  await go(alice, 'settings/keep-account')
  await alice.presses(/^Move to another device/)
  await alice.presses('Show code')
  const dialog = alice.dialog('Code for the other device')
  await dialog.getByRole('img').waitFor()
  await tour.looksAt('move-shown')
  tour.assertSound()
  await fresh.page.goto(originOf(world))
  await fresh.presses('Move from another device')
  await fresh.page.getByRole('textbox').fill(await dialog.getByRole('code').innerText())
  await fresh.presses('Next')
  await fresh.button('Move here').waitFor()
  const asked = new Tour(fresh)
  await asked.looksAt('move-asked')
  asked.assertSound()
})

test('[APP-14.10] nothing keeps anybody out of a conversation with a bot', async ({
  bot,
  alice: { person: alice },
}) => {
  const tour = new Tour(alice)
  await bot.introduces('Says when the ferries go, and keeps a seat for you.', [
    { name: 'next', description: 'The next ferry' },
    { name: 'from', description: 'Ferries from a pier', args: 'pier' },
  ])
  await alice.arrives(bot.link, 'Alice')
  await alice.button('Start').waitFor()
  await tour.looksAt('bot-start')
  await alice.presses('Start')
  const { chat_id } = await bot.hears('/start')
  await bot.sendsPhoto(chat_id, { bytes: samplePhoto({ width: 960, height: 600 }), name: 'pier.png', caption: 'Now.' })
  await alice.writes('When does the next ferry leave? See https://ferries.example/today')
  const { message } = await bot.next('message', update => update.message.text?.startsWith('When') === true)
  const buttons = [
    [
      { text: 'Keep a seat', data: 'seat' },
      { text: 'Later', data: 'later' },
    ],
    [{ text: 'Timetable', url: 'https://ferries.example/timetable?day=today' }],
  ]
  await bot.says(chat_id, { text: 'At 18:40 from the north pier.', reply_to: message.id, buttons })
  await alice.presses('Keep a seat')
  await alice.page.getByRole('button', { name: 'Keep a seat', disabled: true }).waitFor()
  await tour.looksAt('press-under-way')
  await bot.next('button').then(({ button }) => bot.answers(button.press_id, 'Seat 14 is yours until 18:30.'))
  await alice.seesToast('Seat 14')
  await tour.looksAt('toast')
  await alice.presses(/^Timetable/)
  await alice.dialog('Open this link?').waitFor()
  await tour.looksAt('link-asked')
  await alice.page.keyboard.press('Escape')
  await bot.asks(chat_id, { question: 'Which pier?', options: ['North', 'South', 'Either'] })
  await alice.page.getByRole('radio', { name: 'South' }).click()
  await alice.page.getByText('your vote').waitFor()
  await alice.field.fill('/')
  await alice.page.getByRole('option').first().waitFor()
  await tour.looksAt('commands-and-poll')
  tour.assertSound()
})

test('[APP-14.10] nothing keeps anybody out of lists, groups and people', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  const tour = new Tour(alice)
  const account = await alice.starts(bot, 'Alice')
  const bob = await world.person('Bob Ferryman')
  // Without her link: a request.
  await bob.say(account as ChatId, 'Hello Alice, it is Bob from the harbour.')
  await go(alice, '')
  await alice.page.getByText('Hello Alice').waitFor()
  await tour.looksAt('chat-list')
  await alice.page.getByRole('link', { name: /Bob Ferryman/ }).click()
  await alice.sees('Hello Alice')
  await tour.looksAt('request')
  await alice.presses('Accept')
  await alice.writes('Hello Bob!')
  await bob.hears('Hello Bob!')
  await go(alice, `verify/${bob.id}`)
  // An address alone requests nothing from the relay: any press does.
  await alice.button('Show safety number').waitFor()
  await alice.page.keyboard.press('Tab')
  await alice.page.getByRole('group', { name: 'Safety number' }).waitFor()
  await tour.looksAt('verify')
  await go(alice, `p/${bob.id}`)
  await alice.page.getByRole('heading', { name: 'Bob Ferryman' }).waitFor()
  await tour.looksAt('person')
  await go(alice, 'new-group')
  await alice.page.getByRole('textbox', { name: 'Group name' }).fill('Island weekend')
  await alice.page.getByRole('checkbox', { name: /Bob/ }).check()
  await alice.page.getByRole('checkbox', { name: /Harbour/ }).check()
  await tour.looksAt('new-group')
  await alice.presses('Create group')
  await alice.dialog(/Add the bot Harbour/).waitFor()
  await tour.looksAt('bot-warning')
  await alice.presses('Add bot')
  await alice.field.waitFor()
  await alice.writes('Who comes along?')
  await alice.seesSent('Who comes along?')
  await tour.looksAt('group')
  await alice.presses('About ⁨Island weekend⁩')
  await alice.page.getByText('Rename').waitFor()
  await tour.looksAt('group-info')
  tour.assertSound()
})

test('[APP-14.10] nothing keeps anybody out of the settings', async ({ bot, alice: { person: alice } }) => {
  const tour = new Tour(alice)
  await alice.starts(bot, 'Alice')
  for (const part of ['', ...settingsParts]) {
    await go(alice, part === '' ? 'settings' : `settings/${part}`)
    await alice.page.getByRole('main').getByRole('heading').first().waitFor()
    if (part === 'storage') await alice.page.getByRole('heading', { name: 'Largest chats' }).waitFor()
    if (part === 'keep-account') {
      await alice.presses('Save a recovery file')
      await alice.page.getByText('Your six words').waitFor()
    }
    await tour.looksAt(part === '' ? 'settings' : `settings-${part}`)
  }
  tour.assertSound()
})
