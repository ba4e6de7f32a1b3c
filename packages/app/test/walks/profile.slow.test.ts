// The browser's data on its disk: no words of a conversation, in none of its files.
import { join } from 'node:path'
import type { ChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { openProfile } from '@postern/testkit/browser'
import { expect } from 'vitest'
import { AppPerson } from './app-person.ts'
import { findIn, newCanary } from './canaries.ts'
import { PageFaults } from './page-faults.ts'
import { samplePhoto } from './sample-photo.ts'
import { test as base, originOf } from './walk-test.ts'
import type { WalkingBot } from './walking-bot.ts'

/** A separate browser, whose profile the test can inspect. */
const test = base.extend('profile', async ({ world }, { onCleanup }) => {
  const directory = join(world.directory, 'profile')
  const context = await openProfile(directory)
  context.setDefaultTimeout(WITHIN.timeoutMs)
  const faults = new PageFaults(context, [originOf(world)])
  onCleanup(async () => {
    await context.close()
    faults.assertNone()
  })
  return { directory, alice: new AppPerson(context, context.pages()[0] ?? (await context.newPage())) }
})

const secrets = {
  name: newCanary('name'),
  written: newCanary('written'),
  received: newCanary('received'),
  friend: newCanary('friend'),
  draft: newCanary('draft'),
  searched: newCanary('searched'),
  caption: newCanary('caption'),
  photoName: newCanary('photo'),
  photoBytes: newCanary('photobytes'),
  fileName: newCanary('file'),
  fileBytes: newCanary('filebytes'),
}

async function sendsFile(alice: AppPerson): Promise<void> {
  await alice.presses('Attach')
  const choosing = alice.page.waitForEvent('filechooser')
  await alice.page.getByRole('menuitem', { name: 'File', exact: true }).click()
  const buffer = Buffer.from(`${secrets.fileBytes}\n`.repeat(50))
  await (await choosing).setFiles({ name: `${secrets.fileName}.txt`, mimeType: 'text/plain', buffer })
  await alice.dialog('Send this file?').getByRole('button', { name: 'Send', exact: true }).click()
  await alice.seesSent(secrets.fileName)
}

/** A picture with words after its end, opened in full. */
async function looksAtPhoto(alice: AppPerson, bot: WalkingBot, chat: string): Promise<void> {
  const picture = samplePhoto({ width: 640, height: 400 })
  const bytes = new Uint8Array(Buffer.concat([picture, Buffer.from(secrets.photoBytes)]))
  await bot.sendsPhoto(chat, { bytes, name: `${secrets.photoName}.png`, caption: secrets.caption })
  await alice.sees(secrets.caption)
  await alice.presses(`View photo ${secrets.photoName}.png`)
  const shown = alice.dialog('Photo').getByRole('img')
  await expect.poll(() => shown.evaluate(it => (it as HTMLImageElement).naturalWidth)).toBe(640)
  await alice.page.keyboard.press('Escape')
}

const go = ({ page }: AppPerson, place: string): Promise<void> => page.evaluate(to => void (location.hash = to), place)

/** A draft, and a search: both are in fields until the browser ends. */
async function beginsAndSearches(alice: AppPerson, chat: string): Promise<void> {
  await alice.field.fill(secrets.draft)
  await go(alice, 'settings')
  await alice.page.getByRole('link', { name: secrets.draft }).waitFor()
  await alice.page.getByRole('textbox', { name: 'Search', exact: true }).fill(secrets.searched)
  await alice.page.getByText('No results').waitFor()
  await go(alice, `c/${chat}`)
  await alice.presses('Search in this chat')
  await alice.page.getByRole('searchbox').fill(secrets.searched)
  await alice.page.getByText('No results').waitFor()
  await expect.poll(() => alice.field.inputValue()).toBe(secrets.draft)
}

/** Some browsers write the fields of a page into the files of its session, where they cannot be searched. */
const rememberedFields = ({ page }: AppPerson): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('textarea, input:not([type="radio"])')]
      .filter(field => field.autocomplete !== 'off')
      .map(field => field.className),
  )

/** Control texts that the search must find: stored where a browser keeps a page's data. */
const plain = {
  local: newCanary('local'),
  database: newCanary('database'),
  cache: newCanary('cache'),
  file: newCanary('opfs'),
}

async function plants({ page }: AppPerson): Promise<void> {
  await page.evaluate(async words => {
    localStorage.setItem('plain', words.local)
    const cache = await caches.open('plain')
    await cache.put('/plain', new Response(words.cache))
    const root = await navigator.storage.getDirectory()
    const writer = await (await root.getFileHandle('plain', { create: true })).createWritable()
    await writer.write(words.file)
    await writer.close()
    const { promise: kept, resolve, reject } = Promise.withResolvers<void>()
    const opening = indexedDB.open('plain', 1)
    opening.addEventListener('upgradeneeded', () => void opening.result.createObjectStore('plain'))
    opening.addEventListener('success', () => {
      const writing = opening.result.transaction('plain', 'readwrite', { durability: 'strict' })
      writing.objectStore('plain').put(words.database, 'plain')
      writing.addEventListener('complete', () => resolve())
      writing.addEventListener('error', () => reject(new Error('nothing was kept')))
    })
    await kept
  }, plain)
}

test('[APP-14.22] no file of a profile holds words of a conversation', async ({ world, bot, profile }) => {
  const { directory, alice } = profile
  const chat = await alice.starts(bot, secrets.name)
  await alice.writes(secrets.written)
  await bot.hears(secrets.written)
  await bot.says(chat, { text: secrets.received })
  await alice.sees(secrets.received)
  await looksAtPhoto(alice, bot, chat)
  await sendsFile(alice)
  const bob = await world.person(secrets.friend)
  await bob.say(chat as ChatId, 'Hello')
  await go(alice, `c/${bob.id}`)
  await alice.presses('Accept')
  await alice.field.waitFor()
  await beginsAndSearches(alice, bob.id)
  expect(await rememberedFields(alice)).toEqual([])
  const all = Object.values(secrets)
  expect(findIn(directory, all)).toEqual([])
  await plants(alice)
  await alice.context.close()
  expect(findIn(directory, all)).toEqual([])
  const found = findIn(directory, Object.values(plain)).join()
  for (const planted of [plain.local, plain.database, plain.cache, plain.file]) expect(found).toContain(planted)
})
