// Core in a browser against a real relay and a real gateway: a person's messages arrive, even if something ends in the middle.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message, Update } from '@postern/bot-api'
import { type ChatId, privateChatId } from '@postern/protocol'
import { type TestGateway, WITHIN } from '@postern/testkit'
import { connectChromium, openProfile } from '@postern/testkit/browser'
import type { BrowserContext } from 'playwright-core'
import { expect, test as plain } from 'vitest'
import type { BrowserBackup, RefusedFiles } from './browser-calls.ts'
import { BrowserWorld } from './browser-person.ts'
import { foundIn } from './data-files.ts'

const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('here', { scope: 'file' }, async ({}, { onCleanup }) => {
    const world = await BrowserWorld.start()
    onCleanup(() => world.stop())
    return world
  })
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await connectChromium()
    onCleanup(() => browser.close())
    return browser
  })
  /** An empty profile in memory. */
  .extend('context', async ({ browser }, { onCleanup }) => {
    const context = await browser.newContext()
    onCleanup(() => context.close())
    return context
  })
  /** A separate browser, with a folder on the disk that outlives it. */
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('profile', async ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'profile-'))
    const opened: BrowserContext[] = []
    onCleanup(async () => {
      await Promise.all(opened.map(context => context.close()))
      rmSync(directory, { recursive: true, force: true })
    })
    const open = async () => {
      const context = await openProfile(directory)
      opened.push(context)
      return context
    }
    return { directory, open }
  })
  .extend('gateway', { scope: 'file' }, async ({ here }) => {
    const gateway = await here.world.gateway()
    await gateway.client.whenOnline(WITHIN)
    return gateway
  })
  .extend('alice', ({ here, context }) => here.person('alice', context))

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url')
const botChat = (gateway: TestGateway): ChatId => privateChatId(gateway.client.account)

/** A person's messages at the bot, in its order. */
const heardOf = (gateway: TestGateway, account: string): Message[] =>
  gateway.client.messages.list(account as ChatId, { limit: 100 }).filter(message => message.from.id === account)

/** Answers the next text with itself, as a bot's program does. */
async function echoOnce(gateway: TestGateway): Promise<void> {
  for (let offset = 0; ; ) {
    const { body } = await gateway.api<Update[]>('GET', `/v1/updates?offset=${offset}&timeout=20`)
    for (const update of body) {
      offset = update.id + 1
      if (update.type !== 'message' || update.message.text === undefined) continue
      const text = `echo: ${update.message.text}`
      await gateway.api('POST', `/v1/chats/${update.chat_id}/messages`, { text })
      return
    }
  }
}

test('[CORE-24.2] a person in a browser opens the link, writes, is answered, and files go both ways', async ({
  gateway,
  alice,
}) => {
  const account = await alice.open()
  const chat = await alice.worker.call<ChatId>('openInvite', gateway.client.identity.me().inviteUrl)
  expect(chat).toBe(botChat(gateway))
  await alice.say(chat, 'hello')
  await echoOnce(gateway)
  await expect.poll(() => alice.texts(chat)).toContain('echo: hello')

  const sent = await alice.worker.call<string>('sendFile', chat, { name: 'up.bin', bytes: 5_000_000 })
  const message = heardOf(gateway, account).find(one => one.file)
  const got = await fetch(new URL(`/v1/chats/${account}/messages/${message?.id}/file`, gateway.url), {
    headers: { authorization: `Bearer ${gateway.token}` },
  })
  expect(sha256(new Uint8Array(await got.arrayBuffer()))).toBe(sent)

  const bytes = randomBytes(3_000_000)
  const draft = await gateway.client.files.draft(
    (async function* () {
      yield bytes
    })(),
  )
  const file = { draft, name: 'down.bin', type: 'application/octet-stream', kind: 'file' as const }
  const { id } = await gateway.client.files.send(account as ChatId, file, WITHIN)
  await draft.discard()
  await expect.poll(() => alice.worker.call('fileDigest', chat, id).catch(String)).toBe(sha256(bytes))
})

test('[CORE-24.2] a worker that is killed amid sends loses nothing and doubles nothing', async ({ gateway, alice }) => {
  const account = await alice.open()
  const chat = await alice.worker.call<ChatId>('openInvite', gateway.client.identity.me().inviteUrl)
  const texts = Array.from({ length: 20 }, (_, at) => `number ${at}`)
  for (const round of [1, 2]) {
    const all = alice.worker.call('sayAll', chat, texts)
    all.catch(() => undefined)
    if (round === 1) await expect.poll(() => heardOf(gateway, account).length).toBeGreaterThan(0)
    await alice.worker.restart()
    expect(await alice.open()).toBe(account)
  }
  await alice.worker.call('sayAll', chat, texts)
  await expect.poll(() => heardOf(gateway, account).length).toBe(20)
  expect(
    heardOf(gateway, account)
      .map(message => message.text ?? '')
      .toSorted(),
  ).toEqual(texts.toSorted())
  expect((await alice.texts(chat)).toSorted()).toEqual(texts.toSorted())
})

test('[CORE-24.3] a second worker is refused while the first lives, and finds everything when it has ended', async ({
  here,
  context,
  alice,
}) => {
  const bob = await here.world.person('bob')
  const account = await alice.open()
  await alice.say(bob.chatId, 'before')
  const second = await here.person('alice', context)
  await expect(second.open()).rejects.toMatchObject({ code: 'database-locked' })
  // Killed while the other tries: a client that cannot open the files must not clear them away.
  const opening = second.open()
  await alice.worker.restart()
  expect(await opening).toBe(account)
  expect(await second.texts(bob.chatId)).toEqual(['before'])
  await second.say(bob.chatId, 'after')
  await bob.hears('after')
})

test('[CORE-24.3] files that cannot be opened for a moment are opened a moment later, and not given up', async ({
  here,
  alice,
}) => {
  const frank = await here.world.person('frank')
  const account = await alice.open()
  await alice.say(frank.chatId, 'before')
  await alice.worker.call('stop')
  await alice.worker.restart()
  const held: RefusedFiles = { after: 0, count: 3, error: 'NoModificationAllowedError' }
  await alice.worker.call('refuseFiles', held)
  expect(await alice.open()).toBe(account)
  await alice.worker.restart()
  // All four are free, and then the disk fails.
  const failing: RefusedFiles = { after: 4, count: 1, error: 'UnknownError' }
  await alice.worker.call('refuseFiles', failing)
  await expect(alice.open()).rejects.toMatchObject({ code: 'storage-failed' })
  await alice.worker.restart()
  expect(await alice.open()).toBe(account)
  expect(await alice.texts(frank.chatId)).toEqual(['before'])
})

test.for(['profile', 'private window'] as const)(
  '[CORE-24.4] with the quota of a %s used up a send is refused as storage-full, and all goes on when there is room',
  async (kind, { here, profile, context: privateWindow }) => {
    const context = kind === 'profile' ? await profile.open() : privateWindow
    const alice = await here.person('alice', context)
    const carol = await here.world.person(`carol of the ${kind}`)
    await alice.open()
    await alice.say(carol.chatId, 'there is room')
    const { page } = alice.worker
    const devtools = await context.newCDPSession(page)
    const { origin } = here.pages
    const usage = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0)
    await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: usage + 60_000 })
    const refusal = await firstRefusal(at => alice.say(carol.chatId, `${at}${'x'.repeat(3000)}`))
    // In doubt: the relay has the message, but the client could not store that.
    expect(['storage-full', 'send-in-doubt']).toContain(refusal)
    const file = alice.worker.call('sendFile', carol.chatId, { name: 'f', bytes: 3_000_000 })
    await expect(file).rejects.toMatchObject({ code: 'storage-full' })
    await devtools.send('Storage.overrideQuotaForOrigin', { origin })
    await alice.say(carol.chatId, 'room again')
    await carol.hears('room again')
    await alice.worker.restart()
    await alice.open()
    expect(await alice.texts(carol.chatId)).toContain('room again')
  },
)

/** Sends until one is refused, and no more: after one in doubt all others wait for it, and it waits for space. */
async function firstRefusal(send: (at: number) => Promise<void>): Promise<string> {
  for (let at = 0; at < 200; at++) {
    try {
      await send(at)
    } catch (error) {
      return (error as { code?: string }).code ?? String(error)
    }
  }
  return 'nothing was refused'
}

test('[CORE-24.5] a copy opens in another browser with its history, and nowhere over an account', async ({
  here,
  browser,
  alice,
}) => {
  const dave = await here.world.person('dave')
  const account = await alice.open()
  await alice.say(dave.chatId, 'in the backup')
  const backup = await alice.worker.call<BrowserBackup>('copy')
  await alice.worker.call('stop')
  const elsewhere = await here.person('alice', await browser.newContext())
  // A database whose key is lost, as an interrupted restore leaves it.
  await elsewhere.open()
  await elsewhere.worker.call('stop')
  await elsewhere.forgetKey()
  expect(await elsewhere.open(backup)).toBe(account)
  expect(await elsewhere.texts(dave.chatId)).toEqual(['in the backup'])
  await elsewhere.say(dave.chatId, 'from the restored one')
  await dave.hears('from the restored one')
  await elsewhere.worker.call('stop')
  await expect(elsewhere.open(backup)).rejects.toMatchObject({ code: 'database-unusable' })
  expect(await elsewhere.open()).toBe(account)
})

test('[CORE-24.5] a copy opens in Node with its key, and one of Node in a browser', async ({ here, alice }) => {
  const erin = await here.world.person('erin')
  const account = await alice.open()
  await alice.say(erin.chatId, 'said in a browser')
  const backup = await alice.worker.call<BrowserBackup>('copy')
  await alice.worker.call('forgetEverything')
  const directory = join(here.world.directory, 'from-a-browser')
  mkdirSync(directory)
  writeFileSync(join(directory, 'core.db'), Buffer.from(backup.database, 'base64url'))
  writeFileSync(join(directory, 'db.key'), Buffer.from(backup.key, 'base64url'), { mode: 0o600 })
  const inNode = await here.world.person('alice', { directory })
  expect(inNode.id).toBe(account)
  await inNode.say(erin, 'said in Node')
  expect(inNode.texts(erin)).toEqual(['said in a browser', 'said in Node'])
  await here.world.close(inNode)
  const [database, key] = ['core.db', 'db.key'].map(name => readFileSync(join(directory, name)).toString('base64url'))
  expect(await alice.open({ database: database ?? '', key: key ?? '' })).toBe(account)
  expect(await alice.texts(erin.chatId)).toEqual(['said in a browser', 'said in Node'])
})

test('[CORE-24.6] an account that is forgotten leaves nothing, and a database without its key is said to be one', async ({
  alice,
}) => {
  const account = await alice.open()
  await alice.worker.call('forgetEverything')
  expect(await alice.worker.call('folders')).toEqual([])
  expect(await alice.open()).not.toBe(account)
  await alice.worker.call('stop')
  await alice.forgetKey()
  await expect(alice.open()).rejects.toMatchObject({ code: 'database-key-missing' })
  await alice.worker.call('forgetAccount', 'alice')
  expect(await alice.worker.call('folders')).toEqual([])
  await alice.open()
})

test('[CORE-24.10] a key whose account is gone with its files is told from one that nobody has used yet', async ({
  alice,
}) => {
  await alice.open()
  await alice.worker.call('stop')
  await alice.worker.call('clearFiles', 'alice')
  await expect(alice.open()).rejects.toMatchObject({ code: 'database-missing' })
  await expect(alice.open()).rejects.toMatchObject({ code: 'database-missing' })
  await alice.worker.call('forgetAccount', 'alice')
  await alice.open()
})

test('[CORE-24.7] no file of the profile holds a word, and a browser that starts again finds them all', async ({
  here,
  gateway,
  profile,
}) => {
  const words = { said: 'the heron stands on one leg at noon', answered: 'echo: the heron stands' }
  const before = await profile.open()
  const alice = await here.person('alice', before)
  const account = await alice.open()
  const chat = await alice.worker.call<ChatId>('openInvite', gateway.client.identity.me().inviteUrl)
  await alice.say(chat, words.said)
  await gateway.api('POST', `/v1/chats/${account}/messages`, { text: words.answered })
  await expect.poll(() => alice.texts(chat)).toContain(words.answered)
  expect(foundIn(profile.directory, words)).toEqual([])
  await before.close()
  expect(foundIn(profile.directory, words)).toEqual([])
  // Unencrypted words would be found.
  writeFileSync(join(profile.directory, 'control'), words.said)
  expect(foundIn(profile.directory, words)).not.toEqual([])

  const after = await profile.open()
  const again = await here.person('alice', after)
  expect(await again.open()).toBe(account)
  expect(await again.texts(chat)).toEqual([words.said, words.answered])
})
