// An account leaves its browser: to another device by a code, or from saved files, into an empty one.
import { join } from 'node:path'
import { WITHIN } from '@postern/testkit'
import { openProfile } from '@postern/testkit/browser'
import type { BrowserContext } from 'playwright-core'
import { expect } from 'vitest'
import { AppPerson } from './app-person.ts'
import { findIn } from './canaries.ts'
import { test as base, originOf } from './walk-test.ts'
import type { WalkingBot } from './walking-bot.ts'

type Profile = { directory: string; alice: AppPerson }

/** Three separate browsers, whose profiles the test can inspect. */
const test = base.extend('profiles', async ({ world }, { onCleanup }): Promise<[Profile, Profile, Profile]> => {
  const opened: BrowserContext[] = []
  onCleanup(async () => {
    await Promise.all(opened.map(context => context.close()))
  })
  const open = async (name: string): Promise<Profile> => {
    const directory = join(world.directory, name)
    const context = await openProfile(directory)
    opened.push(context)
    context.setDefaultTimeout(WITHIN.timeoutMs)
    return { directory, alice: new AppPerson(context, context.pages()[0] ?? (await context.newPage())) }
  }
  return [await open('old'), await open('fresh'), await open('third')]
})

/** The log line of the old device when the account has moved. */
const REPLACED = /only one may run/

async function opensKeeping({ page }: AppPerson): Promise<void> {
  await page.evaluate(() => void (location.hash = '#settings/keep-account'))
  await page.getByRole('heading', { name: 'Backup and recovery' }).waitFor()
}

async function opensChat({ page }: AppPerson, name: string): Promise<void> {
  await page.getByRole('listitem').getByRole('link', { name }).click()
}

/** Writes to the bot and gets an answer. */
async function talksOn(person: AppPerson, bot: WalkingBot, text: string): Promise<void> {
  await person.writes(text)
  const { chat_id } = await bot.hears(text)
  await bot.says(chat_id, { text: `You said: ${text}` })
  await person.sees(`You said: ${text}`)
}

/** The rest of accounts in the browser's private file system. */
const stored = async ({ page }: AppPerson): Promise<string[]> =>
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory()
    return await Array.fromAsync((root as unknown as { keys(): AsyncIterable<string> }).keys())
  })

/** The code from the screen of the old device. */
async function showsCode(old: AppPerson): Promise<string> {
  await opensKeeping(old)
  await old.presses(/^Move to another device/)
  await old.presses('Show code')
  const dialog = old.dialog('Code for the other device')
  await dialog.getByRole('img', { name: 'Code for the other device' }).waitFor()
  return await dialog.getByRole('code').innerText()
}

/** Like a person who reads it from the other screen. */
async function typesCode({ page }: AppPerson, origin: string, code: string): Promise<void> {
  await page.goto(origin)
  await page.getByRole('button', { name: 'Move from another device' }).click()
  await page.getByRole('textbox', { name: 'Code from the other device' }).fill(code.toUpperCase())
  await page.getByRole('button', { name: 'Next' }).click()
}

test('[APP-14.11] an account moves to another device with everything, once, and is erased where it was', async ({
  world,
  bot,
  openApp,
}) => {
  const { person: old, faults } = await openApp()
  faults.expected = REPLACED
  const chat = await old.starts(bot, 'Alice')
  await talksOn(old, bot, 'before the move')
  const code = await showsCode(old)

  const { person: fresh } = await openApp()
  await typesCode(fresh, originOf(world), code)
  await fresh.page.getByRole('heading', { name: 'Alice' }).waitFor()
  await fresh.page.getByText('Continue only if you created this code yourself.').waitFor()
  await old.dialog('Code for the other device').waitFor()
  await fresh.presses('Move here')
  await opensChat(fresh, 'Harbour')
  await fresh.sees('You said: before the move')
  await talksOn(fresh, bot, 'from the new device')

  const { person: third, faults: refused } = await openApp()
  refused.expected = /404/
  await typesCode(third, originOf(world), code)
  await third.page.getByText('This code no longer works').first().waitFor()
  await third.page.goto(originOf(world))
  await third.page.getByRole('textbox', { name: 'Your name' }).waitFor()

  await old.page.getByRole('heading', { name: 'Your account is open on another device' }).waitFor()
  await old.presses('Erase from this browser')
  await old
    .dialog('Erase your account here?')
    .getByRole('button', { name: 'Erase from this browser', exact: true })
    .click()
  await old.page.getByRole('textbox', { name: 'Your name' }).waitFor()
  expect(await stored(old)).toEqual([])
  await talksOn(fresh, bot, 'and still here')
  expect(bot.textsOf(chat)).toEqual(['/start', 'before the move', 'from the new device', 'and still here'])
})

test('[APP-14.31] the code of a move is in no file of any of the three profiles, and opens nothing in the third', async ({
  world,
  bot,
  profiles: [old, fresh, third],
}) => {
  await old.alice.starts(bot, 'Alice')
  const code = await showsCode(old.alice)
  await typesCode(fresh.alice, originOf(world), code)
  await fresh.alice.page.getByRole('heading', { name: 'Alice' }).waitFor()
  // A stranger's code is dismissed as easily.
  await typesCode(third.alice, originOf(world), code)
  await third.alice.page.getByText('This code no longer works').first().waitFor()
  await fresh.alice.presses('Move here')
  await opensChat(fresh.alice, 'Harbour')
  await typesCode(third.alice, originOf(world), code)
  await third.alice.page.getByText('This code no longer works').first().waitFor()
  for (const { alice } of [old, fresh, third]) await alice.context.close()
  const bare = code.replaceAll('-', '')
  const secrets = [code, code.toUpperCase(), bare, bare.toUpperCase()]
  for (const { directory } of [old, fresh, third]) expect(findIn(directory, secrets)).toEqual([])
})

test('[APP-14.32] a code that is taken back opens nothing, and the account stays where it was', async ({
  world,
  bot,
  openApp,
}) => {
  const { person: old } = await openApp()
  await old.starts(bot, 'Alice')
  const code = await showsCode(old)
  await old.presses('Cancel move')
  await old.dialog('Code for the other device').waitFor({ state: 'detached' })
  const { person: fresh, faults } = await openApp()
  faults.expected = /404/
  await typesCode(fresh, originOf(world), code)
  await fresh.page.getByText('This code no longer works').first().waitFor()
  await opensChat(old, 'Harbour')
  await talksOn(old, bot, 'still here')
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
  await page.getByRole('button', { name: 'Choose file' }).click()
  await (await choosing).setFiles({ name: file.name, mimeType: 'application/octet-stream', buffer: file.bytes })
  await page.getByRole('textbox', { name: 'Six words' }).fill(words.join(' '))
  await page.getByRole('button', { name: 'Restore' }).click()
}

/**
 * Without messages the chat begins again, as soon as it is known that this is a bot. A receipt that the closed browser
 * had not confirmed at the relay leaves a notice instead, because nobody can read it any more.
 */
async function beginsAgain(person: AppPerson): Promise<void> {
  const start = person.button('Start')
  await start.or(person.page.getByRole('log').getByText('A message could not be decrypted')).first().waitFor()
  if (await start.isVisible()) await start.click()
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
  await alice.page.getByRole('switch', { name: 'I wrote them down' }).click()
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
  await bare.page.getByText('These words do not unlock this file').first().waitFor()
  await bare.page.getByRole('textbox', { name: 'Six words' }).fill(words.join(' '))
  await bare.presses('Restore')
  await opensChat(bare, 'Harbour')
  await beginsAgain(bare)
  await talksOn(bare, bot, 'from the file')
  expect((await bare.texts()).filter(text => text.includes('before the loss'))).toEqual([])
  const said = bot.textsOf(chat).filter(text => text !== '/start')
  expect(said).toEqual(['before the loss', 'from the backup', 'from the file'])
})
