// The app lock in the worker: what needs the passphrase, when it is asked for, and what is left while it is.
import type { ChatId } from '@postern/protocol'
import { expect } from 'vitest'
import { test } from './app-fixtures.ts'
import { heardBy, meet, TestApp, type TestPage } from './app-world.ts'

const PASSPHRASE = 'correct horse'
const MINUTE_MS = 60_000

const address = {
  endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/alice',
  p256dh: new Uint8Array(65).fill(4),
  auth: new Uint8Array(16).fill(5),
}

async function isLocked(page: TestPage): Promise<void> {
  const stage = page.watch('stage')
  await expect.poll(() => stage.value).toMatchObject({ kind: 'locked' })
}

test('[APP-15.1] a locked account opens with its passphrase alone, and a worker that starts is locked', async ({
  world,
  started: { app, page },
  bot,
}) => {
  const chat = await meet(page, bot)
  await page.call('setLock', { passphrase: PASSPHRASE })
  expect(page.watch('lock').value).toEqual({ isSet: true })
  await app.host.home.stop()
  const again = new TestApp(world)
  await again.host.home.start()
  const later = again.page()
  expect(later.watch('stage').value).toEqual({ kind: 'locked', waitMs: 0 })
  expect(later.watch('chats').value).toBeUndefined()
  await expect(later.call('unlock', { passphrase: 'wrong horse' })).rejects.toThrow('passphrase-wrong')
  await expect(later.call('createAccount', { name: 'mallory' })).rejects.toThrow('passphrase-needed')
  await later.call('useHere', {})
  expect(again.host.home.account).toBeUndefined()
  await later.call('unlock', { passphrase: PASSPHRASE })
  expect(later.watch('stage').value).toEqual({ kind: 'open' })
  expect(later.watch('chats').value).toMatchObject([{ id: chat }])
  await again.host.home.stop()
})

test('[APP-15.2] locked, every page shows nothing; a call that needs the account waits and is executed once', async ({
  started: { app, page },
  bot,
}) => {
  const chat = await meet(page, bot)
  const other = app.page()
  await page.call('setLock', { passphrase: PASSPHRASE })
  await page.call('lockNow', {})
  for (const each of [page, other]) await isLocked(each)
  expect(app.host.home.account).toBeUndefined()
  const sent = other.call('send', { chat, text: 'later' })
  await page.call('unlock', { passphrase: PASSPHRASE })
  await sent
  await expect.poll(() => heardBy(bot, app)).toEqual(['later'])
  await page.call('lockNow', {})
  const lost = other.call('send', { chat, text: 'never' })
  await page.call('removeAccount', {})
  await expect(lost).rejects.toThrow('no-account')
  expect(await app.lock.isSet()).toBe(false)
})

test('[APP-15.3] an idle app is locked, by time that passed or by the clock, and a used one is not', async ({
  timed: { app, page },
  clock,
}) => {
  await page.call('setLock', { passphrase: PASSPHRASE })
  clock.advance(4 * MINUTE_MS)
  await page.call('active', {})
  clock.advance(4 * MINUTE_MS)
  await page.call('active', {})
  expect(app.host.home.stage).toEqual({ kind: 'open' })
  clock.advance(5 * MINUTE_MS + 15_000)
  await isLocked(page)
  await page.call('unlock', { passphrase: PASSPHRASE })
  // The machine slept: no timer ran, and a key is the first that the worker hears.
  clock.set(6 * MINUTE_MS)
  await page.call('active', {})
  await isLocked(page)
  await page.call('unlock', { passphrase: PASSPHRASE })
  await page.call('setSettings', { lockAfter: 'never' })
  clock.advance(120 * MINUTE_MS)
  expect(app.host.home.stage).toEqual({ kind: 'open' })
})

test('[APP-15.4] after five wrong passphrases each further one needs a wait, also with another worker and clock', async ({
  world,
  clock,
  timed: { app, page },
}) => {
  await page.call('setLock', { passphrase: PASSPHRASE })
  await page.call('lockNow', {})
  const guess = (on: TestPage) => on.call('unlock', { passphrase: 'guess' })
  for (let tries = 0; tries < 5; tries++) await expect(guess(page)).rejects.toThrow('passphrase-wrong')
  await expect(page.call('unlock', { passphrase: PASSPHRASE })).rejects.toThrow('unlock-too-soon')
  expect(page.watch('stage').value).toEqual({ kind: 'locked', waitMs: 30_000 })
  clock.set(60 * MINUTE_MS)
  await expect(guess(page)).rejects.toThrow('unlock-too-soon')
  await app.host.home.stop()
  const again = new TestApp(world, { clock })
  await again.host.home.start()
  const later = again.page()
  await expect(guess(later)).rejects.toThrow('unlock-too-soon')
  clock.advance(30_000)
  await expect(guess(later)).rejects.toThrow('passphrase-wrong')
  expect(later.watch('stage').value).toEqual({ kind: 'locked', waitMs: 60_000 })
  clock.advance(60_000)
  await later.call('unlock', { passphrase: PASSPHRASE })
  expect(again.lock.secret()).toMatchObject({ misses: 0 })
  await again.host.home.stop()
})

test('[APP-15.5] a passphrase is changed and removed with the present one alone, and has six characters at least', async ({
  started: { app, page },
}) => {
  await expect(page.call('setLock', { passphrase: '12345' })).rejects.toThrow('passphrase-short')
  await page.call('setLock', { passphrase: '123456' })
  await expect(page.call('setLock', { current: 'no', passphrase: PASSPHRASE })).rejects.toThrow('passphrase-wrong')
  await expect(page.call('setLock', {})).rejects.toThrow('passphrase-wrong')
  await page.call('setLock', { current: '123456', passphrase: PASSPHRASE })
  // The same call again, as after a move of the core.
  await page.call('setLock', { passphrase: PASSPHRASE })
  expect(app.lock.secret()).toMatchObject({ passphrase: PASSPHRASE })
  await page.call('setLock', { current: PASSPHRASE })
  expect(page.watch('lock').value).toEqual({ isSet: false })
  expect(await app.lock.isSet()).toBe(false)
  await page.call('lockNow', {})
  expect(app.host.home.stage).toEqual({ kind: 'open' })
})

test('[APP-15.6] with a lock the service worker knows no name and no key, from before the lock is stored', async ({
  started: { app, page },
  bot,
}) => {
  await meet(page, bot)
  await page.call('setSettings', { notify: 'words' })
  await page.call('setPush', { address })
  await expect.poll(() => app.pushShelf.table?.keys).toHaveLength(1)
  app.lock.isBroken = true
  const tables: unknown[] = []
  const write = app.pushShelf.write.bind(app.pushShelf)
  app.pushShelf.write = async table => {
    tables.push([table.settings.notify, table.chats.map(({ title }) => title), table.keys.length])
    await write(table)
  }
  await expect(page.call('setLock', { passphrase: PASSPHRASE })).rejects.toThrow('storage-full')
  expect(tables[0]).toEqual(['nothing', [''], 0])
  // It was not stored, so nothing stays hidden.
  await expect.poll(() => app.pushShelf.table?.keys).toHaveLength(1)
  app.lock.isBroken = false
  await page.call('setLock', { passphrase: PASSPHRASE })
  expect(app.pushShelf.table).toMatchObject({ settings: { notify: 'nothing' }, keys: [] })
  await page.call('setSettings', { sound: false })
  await expect.poll(() => app.pushShelf.table?.settings).toMatchObject({ notify: 'nothing', sound: false })
  expect(app.account.client.pushes.arePreviewsWanted).toBe(false)
  await page.call('lockNow', {})
  expect(app.pushShelf.table?.chats.map(({ title }: { title: string }) => title)).toEqual([''])
})

test('[APP-15.7] a person who has forgotten it restores the account from a file, or removes it', async ({
  started: { app, page },
}) => {
  const { words } = await page.call('newWords', {})
  const { file } = await page.call('recoveryFile', { words })
  const me = page.watch('me').value.id as ChatId
  await page.call('setLock', { passphrase: PASSPHRASE })
  await page.call('lockNow', {})
  await page.call('restore', { file, words })
  expect(page.watch('stage').value).toEqual({ kind: 'open' })
  expect(page.watch('me').value.id).toBe(me)
  expect(page.watch('lock').value).toEqual({ isSet: false })
  await app.online()
})
