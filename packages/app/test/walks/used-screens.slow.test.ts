// The screens that come with use: files, menus, dialogs, a group with a picture, a search, and the locked app.
import type { AppPerson } from './app-person.ts'
import { samplePhoto } from './sample-photo.ts'
import { Tour } from './tour.ts'
import { inviteOf, test as walk } from './walk-test.ts'

/** The one with a microphone. */
const test = walk.extend('chromium', { scope: 'file' }, () => 'whole' as const)

const go = ({ page }: AppPerson, place: string): Promise<void> => page.evaluate(to => void (location.hash = to), place)

const photo = (name: string, width: number) => ({
  name: `${name}.png`,
  mimeType: 'image/png',
  buffer: Buffer.from(samplePhoto({ width, height: 200 })),
})

/** Leaves with Escape what is open, and waits until it is closed. */
async function leaves(alice: AppPerson, role: 'dialog' | 'menu'): Promise<void> {
  await alice.page.keyboard.press('Escape')
  await alice.page.getByRole(role).waitFor({ state: 'detached' })
}

async function looksAtMessage(alice: AppPerson, tour: Tour, words: string): Promise<void> {
  const menu = async (): Promise<void> => {
    await (await alice.sees(words)).click({ button: 'right' })
    await alice.page.getByRole('menuitem', { name: 'Reply' }).waitFor()
  }
  await menu()
  await tour.looksAt('message-menu')
  await alice.chooses('More reactions')
  await alice.dialog('Choose a reaction').waitFor()
  await tour.looksAt('reactions')
  await leaves(alice, 'dialog')
  await menu()
  await alice.chooses('Delete')
  await alice.dialog('Delete this message?').waitFor()
  await tour.looksAt('delete-asked')
  await leaves(alice, 'dialog')
  await menu()
  await alice.chooses('Reply')
  await alice.page.getByRole('button', { name: 'Cancel' }).waitFor()
  await tour.looksAt('replying')
  await alice.page.keyboard.press('Escape')
}

test('[APP-14.10] nothing keeps anybody out of photos, voice messages, polls and their dialogs', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp({ permissions: ['microphone'] })
  const { page } = alice
  const tour = new Tour(alice)
  const chat = await alice.starts(bot, 'Alice')
  await alice.presses('Attach')
  await page.getByRole('menuitem', { name: 'Poll' }).waitFor()
  await tour.looksAt('attach-menu')
  await alice.chooses('Poll')
  await alice.dialog('New poll').waitFor()
  await tour.looksAt('new-poll')
  await leaves(alice, 'dialog')
  await alice.presses('Attach')
  const choosing = page.waitForEvent('filechooser')
  await alice.chooses('Photo or video')
  await (await choosing).setFiles([photo('one', 300), photo('two', 310), photo('three', 320)])
  const dialog = alice.dialog('Send 3 files?')
  await dialog.getByRole('textbox', { name: 'Caption' }).fill('From the island.')
  await tour.looksAt('send-files')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.album .photo-body-picture').nth(2).waitFor()
  await alice.presses('Record voice message')
  await page.getByText('Recording 0:02').waitFor()
  await tour.looksAt('recording')
  await alice.presses('Send')
  await bot.next('message', ({ message }) => message.file?.kind === 'voice')
  await page.getByRole('log').getByRole('group', { name: 'Voice message' }).waitFor()
  const bytes = samplePhoto({ width: 60, height: 40 })
  await bot.sendsFile(chat, { bytes, name: 'plan.bin', caption: 'The plan', kind: 'file', type: 'x/y' })
  await bot.asks(chat, { question: 'Which pier?', options: ['North', 'South, behind the lighthouse', 'Either'] })
  await page.getByRole('radio', { name: 'North' }).click()
  await page.getByText('your vote').waitFor()
  await tour.looksAt('files-and-voice')
  await looksAtMessage(alice, tour, 'The plan')
  await alice.presses('View photo two.png')
  await alice.dialog('Photo').getByRole('img', { name: 'two.png' }).waitFor()
  await tour.looksAt('viewer')
  await leaves(alice, 'dialog')
  await alice.presses(/^About/)
  await alice.presses('Media, files and links')
  for (const tab of ['Files', 'Voice', 'Links']) {
    await page.getByRole('tab', { name: tab }).click()
    await tour.looksAt(`gallery-${tab}`)
  }
  tour.assertSound()
})

test('[APP-14.10] nothing keeps anybody out of a group with a picture, its dialogs, the search and the locked app', async ({
  world,
  bot,
  openApp,
}) => {
  const [{ person: alice }, bob] = [await openApp(), await world.person('Bob Ferryman')]
  const { page } = alice
  const tour = new Tour(alice)
  await alice.starts(bot, 'Alice')
  await page.goto(await inviteOf(world, bob.client))
  await page.locator('button:enabled', { hasText: 'Start a chat' }).click()
  await alice.writes('Hello Bob!')
  await bob.hears('Hello Bob!')
  await go(alice, 'new-group')
  await page.getByRole('textbox', { name: 'Group name' }).fill('Island weekend with a name that is long')
  await page.getByRole('checkbox', { name: /Bob/ }).check()
  await alice.presses('Create group')
  await alice.field.waitFor()
  await alice.writes('Who comes along?')
  await alice.seesSent('Who comes along?')
  await alice.presses(/^About/)
  const choosing = page.waitForEvent('filechooser')
  await alice.presses('Choose picture')
  await (await choosing).setFiles(photo('island', 300))
  await alice.button('Remove picture').waitFor()
  await tour.looksAt('group-with-picture')
  for (const [opens, title] of [
    ['Rename', /./],
    [/^Disappearing messages/, /./],
    ['Leave group', /^Leave /],
    [/Bob Ferryman/, undefined],
  ] as const) {
    await alice.presses(opens)
    await (title ? alice.dialog(title) : page.getByRole('menu')).waitFor()
    await tour.looksAt(`group-${String(opens).replaceAll(/\W/g, '')}`)
    await leaves(alice, title ? 'dialog' : 'menu')
  }
  await alice.presses('Invite link')
  await alice.presses('Create link')
  await page.getByRole('img', { name: 'QR code of the link to this group' }).waitFor()
  await tour.looksAt('group-link')
  await go(alice, '')
  await page.getByRole('link', { name: /Island weekend/ }).waitFor()
  await tour.looksAt('list-with-picture')
  await alice.presses('Menu')
  await page.getByRole('menuitem', { name: 'Settings' }).waitFor()
  await tour.looksAt('main-menu')
  await leaves(alice, 'menu')
  await page.getByRole('link', { name: /Bob Ferryman/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Pin' }).waitFor()
  await tour.looksAt('chat-menu')
  await leaves(alice, 'menu')
  await page.getByRole('textbox', { name: 'Search', exact: true }).fill('Bob')
  await page.getByRole('heading', { name: 'Messages' }).waitFor()
  await tour.looksAt('search')
  await page.getByRole('textbox', { name: 'Search', exact: true }).fill('nothing of the kind')
  await page.getByText('No results').waitFor()
  await tour.looksAt('nothing-found')
  await go(alice, 'settings/privacy')
  await alice.presses(/^App lock/)
  const dialog = alice.dialog('App lock')
  await dialog.getByLabel('New passphrase or PIN').fill('correct horse')
  await dialog.getByLabel('Once more').fill('correct horse')
  await tour.looksAt('lock-dialog')
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await alice.button('Lock now').waitFor()
  await tour.looksAt('lock-on')
  await Promise.all([page.waitForEvent('load'), alice.presses('Lock now')])
  await page.getByRole('heading', { name: 'Postern is locked' }).waitFor()
  await tour.looksAt('locked')
  await alice.presses('I forgot it')
  await page.getByRole('heading', { name: 'Nobody can unlock it for you' }).waitFor()
  await tour.looksAt('forgotten')
  tour.assertSound()
})
