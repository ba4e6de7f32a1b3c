// Addresses that somebody else chose: whatever a website opens in the app, nobody learns of it before the person presses.
import { builtApp } from '@postern/app/build'
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN, World } from '@postern/testkit'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { settingsParts } from '../../src/router.ts'
import type { AppPerson } from './app-person.ts'
import { test as base, inviteOf, originOf } from './walk-test.ts'

/** The calls to the relay's store, as lines: the method, then the arguments. */
const asked: string[] = []

const bytesAsText = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? `${value.length} bytes` : value

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
    const relayAsked = (method: string, given: unknown[]): void =>
      void asked.push(`${method} ${JSON.stringify(given, bytesAsText)}`)
    const world = await World.start({ relayApp: await builtApp(), relayAsked })
    onCleanup(() => world.stop())
    return world
  })
  /** Alice talks to mallory, who has sent a message that she has not read; carol is a stranger. */
  .extend('scene', async ({ world, bot, alice: { person: alice } }) => {
    const aliceId = (await alice.starts(bot, 'Alice')) as ChatId
    const [mallory, carol] = [await world.person('mallory'), await world.person('carol')]
    await mallory.say(aliceId, 'hello')
    await go(alice.page, `c/${mallory.id}`)
    await alice.presses('Accept')
    await alice.field.waitFor()
    await go(alice.page, '')
    await alice.page.getByText('Select a chat').waitFor()
    const unread = await mallory.say(aliceId, 'who visits my site?')
    await alice.page.getByRole('link', { name: /who visits my site/ }).waitFor()
    const { id: group } = await carol.client.chats.createGroup({ name: 'Boats', members: [mallory.id] }, WITHIN)
    const { url: groupLink } = await carol.client.groupLinks.make(group)
    const startLink = await bot.linkWith('ticket-4711')
    return { alice, aliceId, bot, mallory, carol, message: unread.id, startLink, group, groupLink }
  })

const go = (page: Page, hash: string): Promise<void> => page.evaluate(to => void (location.hash = to), hash)

type Addresses = { mallory: TestPerson; carol: TestPerson; message: string; startLink: string; groupLink: string }

/** Every address after the # that the app knows, as a website would choose it. */
function addresses({ mallory, carol, message, startLink, groupLink }: Addresses): string[] {
  const invite = new URL(carol.client.identity.me().inviteUrl).hash.slice(1)
  const nobody = 'a'.repeat(mallory.id.length)
  return [
    invite,
    new URL(startLink).hash.slice(1),
    new URL(groupLink).hash.slice(1),
    `m/${'a'.repeat(26)}/${'A'.repeat(43)}/${'A'.repeat(43)}/1000`,
    ...[mallory.id, carol.id, nobody].flatMap(id => [
      `c/${id}`,
      `info/${id}`,
      `p/${id}`,
      `verify/${id}`,
      `add/${id}`,
      `link/${id}`,
    ]),
    `c/${mallory.id}/${message}`,
    ...['new', 'new-group', 'settings', ...settingsParts.map(part => `settings/${part}`)],
    'no such place',
  ]
}

/** The page has had the time in which it would mark something as read, or retry. */
async function letTimePass(page: Page): Promise<void> {
  await page.clock.runFor(3_000)
}

/** The state of Alice's account in her core, and her browser's storage: everything that a link could have changed. */
async function stateOf({ page }: AppPerson): Promise<unknown> {
  return await page.evaluate(async () => {
    const name = `test-${crypto.randomUUID()}`
    const room = new BroadcastChannel(`postern-page-${name}`)
    const hall = new BroadcastChannel('postern-hall')
    const seen: Record<string, string | undefined> = {}
    const views = ['stage', 'me', 'chats', 'asked', 'contacts', 'blocked', 'settings', 'keeping', 'unread']
    const { promise, resolve } = Promise.withResolvers<void>()
    room.addEventListener('message', ({ data }) => {
      if (data.kind === 'ready')
        for (const [id, view] of views.entries()) room.postMessage({ kind: 'watch', id, name: view, args: [] })
      if (data.kind === 'views') for (const { id, json } of data.views) seen[views[id] ?? ''] = json
      if (Object.keys(seen).length === views.length) resolve()
    })
    hall.postMessage({ page: name })
    await promise
    room.postMessage({ kind: 'bye' })
    room.close()
    hall.close()
    // The settings about storage read these again from the browser.
    const { usedBytes: _used, quotaBytes: _quota, ...keeping } = JSON.parse(seen['keeping'] ?? '{}')
    return { ...seen, keeping }
  })
}

/** By another website's page that leads to the app. */
async function isLedTo(tab: Page, address: string): Promise<void> {
  const site = `<script>location=${JSON.stringify(address)}</script>`
  await tab.goto(`data:text/html,${encodeURIComponent(site)}`)
  await tab.waitForURL(url => url.protocol !== 'data:')
  await tab.locator('main *').first().waitFor()
}

/** A relay maintains itself, and reads the mailboxes that clients follow. */
const OF_ITS_OWN =
  /^(readMailbox|asSweeper|sweep|figures|expiredBlobs|unfinishedBlobs|noteClockSet|flush|awaySinceMs|push\.lead|push\.look) /

/** An account that has just arrived still publishes keys and sends receipts: waits for a second without a call. */
async function relayIsQuiet(): Promise<void> {
  let known = -1
  const isQuiet = (): boolean => {
    const calls = asked.filter(line => !OF_ITS_OWN.test(line)).length
    const isSame = calls === known
    known = calls
    return isSame
  }
  await expect.poll(isQuiet, { interval: 1_000 }).toBe(true)
}

test('[APP-14.29] Opening an address tells nobody and changes nothing, whichever it is and however it is opened', async ({
  world,
  scene,
}) => {
  const { alice, aliceId, bot, mallory, carol } = scene
  const tab = await alice.context.newPage()
  await tab.clock.install()
  await tab.goto(originOf(world))
  await tab.getByText('Select a chat').waitFor()
  await expect.poll(() => mallory.client.messages.get(aliceId, scene.message).status).toBe('delivered')
  await inviteOf(world, carol.client)
  await relayIsQuiet()
  const before = await stateOf(alice)
  asked.length = 0
  for (const hash of addresses(scene)) {
    if (!hash.startsWith('settings/')) await isLedTo(tab, `${originOf(world)}/#${hash}`)
    await letTimePass(tab)
    // In a window that the other page has kept.
    await tab.evaluate(() => sessionStorage.clear())
    await go(tab, '')
    await go(tab, hash)
    await letTimePass(tab)
    await tab.evaluate(() => sessionStorage.clear())
  }
  await tab.goto(originOf(world))
  await tab.getByText('Select a chat').waitFor()
  // By the service worker, as for a notification.
  const told = { kind: 'open-chat', chat: mallory.id }
  await tab.evaluate(data => void navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data })), told)
  await tab.getByRole('log').getByText('who visits my site?').waitFor()
  await letTimePass(tab)
  // By a link that is pasted, or scanned.
  const pasteGroupLink = async (): Promise<void> => {
    await go(tab, 'new')
    await tab.getByRole('textbox', { name: 'Link' }).fill(scene.groupLink)
    await tab.getByRole('button', { name: 'Open link' }).click()
    await tab.getByText(/carol will see your name, picture.*Nobody else in the group learns/).waitFor()
    await tab.getByText(/The link says that the group is “Boats”/).waitFor()
    await letTimePass(tab)
  }
  await pasteGroupLink()
  await tab.getByRole('button', { name: 'Not now' }).click()
  await go(tab, 'new')
  await tab.getByRole('textbox', { name: 'Link' }).fill(await inviteOf(world, carol.client))
  await tab.getByRole('button', { name: 'Open link' }).click()
  await tab.getByText('carol will see your name').waitFor()
  await letTimePass(tab)
  expect(await stateOf(alice)).toEqual(before)
  const inviting = [carol.id, bot.gateway.client.account]
  const isProfile = (line: string): boolean => inviting.some(id => line.startsWith(`getProfile ["${id}"`))
  expect(asked.filter(line => !isProfile(line) && !OF_ITS_OWN.test(line))).toEqual([])
  expect(asked.some(isProfile)).toBe(true)

  // The same when somebody presses: then everything happens.
  await tab.getByRole('button', { name: 'Start a chat with carol' }).click()
  const people = () => carol.client.chats.list().filter(({ type }) => type === 'private')
  await expect.poll(() => people().map(({ id }) => id)).toEqual([aliceId])
  // The app opens the new chat after carol has it, and would replace an address that was opened earlier.
  await tab.waitForURL(url => url.hash.startsWith(`#c/${carol.id}`))
  await pasteGroupLink()
  await tab.getByRole('button', { name: 'Ask to join' }).click()
  await tab.getByRole('heading', { name: 'Request sent' }).waitFor()
  await expect.poll(() => carol.client.groupLinks.requests(scene.group).map(({ from }) => from.name)).toEqual(['Alice'])
  await tab.getByRole('button', { name: 'Done' }).click()
  await tab.getByText('Link by carol').waitFor()
  await go(tab, `c/${mallory.id}`)
  await tab.getByRole('log').getByText('who visits my site?').click()
  await expect.poll(() => mallory.client.messages.get(aliceId, scene.message).status).toBe('read')
  await tab.close()
})

test('[APP-8.18] At a start link the press sends /start, for a newcomer and in a chat that exists, and no reload repeats it', async ({
  alice: { person: alice },
  bot,
}) => {
  const { page } = alice
  const promise = page.getByText('This sends “/start” and shows which link you used.')
  await page.goto(await bot.linkWith('ticket-4711'))
  await promise.waitFor()
  await page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
  await alice.presses('Start a chat with Harbour')
  const { chat_id } = await bot.hears('/start ticket-4711')
  await alice.seesSent('/start')
  await alice.field.waitFor()
  await isLedTo(page, await bot.linkWith('ticket-4712'))
  await promise.waitFor()
  await page.reload()
  await promise.waitFor()
  expect(bot.textsOf(chat_id)).toEqual(['/start ticket-4711'])
  await alice.presses('Start a chat with Harbour')
  await bot.hears('/start ticket-4712')
  await alice.field.waitFor()
  await page.reload()
  await alice.writes('here I am')
  await bot.hears('here I am')
  expect(bot.textsOf(chat_id)).toEqual(['/start ticket-4711', '/start ticket-4712', 'here I am'])
})

test('[APP-14.30] The secret of an invite link is in no entry of the tab’s history, and a reload still finds the link', async ({
  alice: { person: alice },
  bot,
}) => {
  const { page } = alice
  const secret = new URL(bot.link).hash.split('/')[2] ?? ''
  const start = page.getByRole('button', { name: 'Start a chat with Harbour' })
  const addressesSeen: string[] = []
  page.on('framenavigated', frame => void addressesSeen.push(frame.url()))
  await isLedTo(page, bot.link)
  await start.waitFor()
  expect(page.url()).not.toContain(secret)
  addressesSeen.length = 0
  await page.reload()
  await start.waitFor()
  await page.goBack()
  await page.goForward()
  await start.waitFor()
  expect(addressesSeen.filter(address => address.includes(secret))).toEqual([])
  await page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
  await start.click()
  await alice.button('Start').waitFor()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
})

test('[APP-14.35] Who invites is shown as soon as the relay tells, without a reload', async ({
  alice: { person: alice, faults },
  bot,
}) => {
  faults.mayBeCut = true
  const { page } = alice
  // First the relay is away. Then it has no profile yet.
  let unknown = 0
  await alice.context.route('**/profiles/*', async route => {
    unknown += 1
    if (unknown === 1) await route.abort()
    else await route.fulfill({ status: 404 })
  })
  await page.goto(bot.link)
  await page.getByRole('heading', { name: 'You are invited to a chat' }).waitFor()
  await alice.button('Start chat').waitFor()
  await page.getByText('The person who made this link will see the name you choose').waitFor()
  await expect.poll(() => unknown).toBeGreaterThan(1)
  await alice.context.unroute('**/profiles/*')
  await page.getByRole('heading', { name: 'Harbour' }).waitFor()
  await alice.button('Start a chat with Harbour').waitFor()
})
