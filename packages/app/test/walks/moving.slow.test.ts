// An account leaves its browser: to another device by a link, or out of files that were saved, into an empty one.
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { originOf, test } from './walk-test.ts'
import type { WalkingBot } from './walking-bot.ts'

/** What the old device logs when the account has moved. */
const REPLACED = /only one may run/

async function opensKeeping({ page }: AppPerson): Promise<void> {
  await page.evaluate(() => void (location.hash = '#settings/keep-account'))
  await page.getByRole('heading', { name: 'Keep your account' }).waitFor()
}

async function opensChat({ page }: AppPerson, name: string): Promise<void> {
  await page.getByRole('listitem').getByRole('link', { name }).click()
}

/** Writes to the bot and is answered. */
async function talksOn(person: AppPerson, bot: WalkingBot, text: string): Promise<void> {
  await person.writes(text)
  const { chat_id } = await bot.hears(text)
  await bot.says(chat_id, { text: `You said: ${text}` })
  await person.sees(`You said: ${text}`)
}

/** What is left of accounts in the browser's private file system. */
const stored = async ({ page }: AppPerson): Promise<string[]> =>
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory()
    return await Array.fromAsync((root as unknown as { keys(): AsyncIterable<string> }).keys())
  })

test('[APP-14.11] an account moves to another device with everything, and is erased where it was', async ({
  bot,
  openApp,
}) => {
  const { person: old, faults } = await openApp({ permissions: ['clipboard-read', 'clipboard-write'] })
  faults.expected = REPLACED
  const chat = await old.starts(bot, 'Alice')
  await talksOn(old, bot, 'before the move')
  await opensKeeping(old)
  await old.presses(/^Move to another device/)
  await old.presses('Show the code')
  await old.dialog('Code for the other device').getByRole('img', { name: 'Code for the other device' }).waitFor()
  await old.presses('Copy as text')
  const link = await old.page.evaluate(() => navigator.clipboard.readText())

  const { person: fresh } = await openApp()
  await fresh.page.goto(link)
  await fresh.presses('Move here')
  await opensChat(fresh, 'Harbour')
  await fresh.sees('You said: before the move')
  expect(fresh.page.url()).not.toContain(link.split('#m/')[1])
  await talksOn(fresh, bot, 'from the new device')

  await old.page.getByRole('heading', { name: 'Your account is open on another device' }).waitFor()
  await old.presses('Erase from this browser')
  await old
    .dialog('Erase the account here?')
    .getByRole('button', { name: 'Erase from this browser', exact: true })
    .click()
  await old.page.getByRole('textbox', { name: 'Your name' }).waitFor()
  expect(await stored(old)).toEqual([])
  await talksOn(fresh, bot, 'and still here')
  expect(bot.textsOf(chat)).toEqual(['/start', 'before the move', 'from the new device', 'and still here'])
})

type Saved = { name: string; bytes: Buffer }

async function saves({ page }: AppPerson, button: string): Promise<Saved> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: button, exact: true }).click()
  const download = await downloading
  return {
    name: download.suggestedFilename(),
    bytes: Buffer.concat(await Array.fromAsync(await download.createReadStream())),
  }
}

async function restores({ page }: AppPerson, { file, words }: { file: Saved; words: string[] }): Promise<void> {
  await page.getByRole('button', { name: 'I have a recovery file' }).click()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  await (await choosing).setFiles({ name: file.name, mimeType: 'application/octet-stream', buffer: file.bytes })
  await page.getByRole('textbox', { name: 'The six words' }).fill(words.join(' '))
  await page.getByRole('button', { name: 'Bring it back' }).click()
}

test('[APP-14.12] a recovery file and a full backup bring the account back into empty browsers', async ({
  world,
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp()
  const chat = await alice.starts(bot, 'Alice')
  await talksOn(alice, bot, 'before the loss')
  await opensKeeping(alice)
  await alice.presses('Save a recovery file')
  const words = await alice.readsSixWords()
  expect(words).toHaveLength(6)
  expect(await alice.button('Save recovery file').isDisabled()).toBe(true)
  await alice.page.getByRole('switch', { name: 'I have written them down' }).click()
  const recovery = await saves(alice, 'Save recovery file')
  const backup = await saves(alice, 'Save full backup')
  for (const { bytes } of [recovery, backup]) expect(bytes.includes('before the loss')).toBe(false)
  await alice.page.close()

  const { person: whole } = await openApp()
  await whole.page.goto(originOf(world))
  await restores(whole, { file: backup, words })
  await opensChat(whole, 'Harbour')
  await whole.sees('You said: before the loss')
  await talksOn(whole, bot, 'from the backup')
  await whole.page.close()

  const { person: bare } = await openApp()
  await bare.page.goto(originOf(world))
  await restores(bare, { file: recovery, words: words.toReversed() })
  await bare.page.getByText('The words do not open this file').first().waitFor()
  await bare.page.getByRole('textbox', { name: 'The six words' }).fill(words.join(' '))
  await bare.presses('Bring it back')
  await opensChat(bare, 'Harbour')
  // Without messages the chat begins anew, as soon as it is known that this is a bot: until then there is a field.
  await bare.presses('Start')
  await talksOn(bare, bot, 'from the file')
  expect((await bare.texts()).filter(text => text.includes('before the loss'))).toEqual([])
  expect(bot.textsOf(chat)).toEqual(['/start', 'before the loss', 'from the backup', '/start', 'from the file'])
})
