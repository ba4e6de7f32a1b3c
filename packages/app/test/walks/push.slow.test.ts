// The service worker's half of push notifications in Chromium, which reaches no push service here: a stand-in makes the
// subscription, and DevTools delivers the pushes.
import { randomBytes } from 'node:crypto'
import { builtApp } from '@postern/app/build'
import { toBase32 } from '@postern/protocol'
import { World } from '@postern/testkit'
import { FirefoxPushService } from '@postern/testkit/firefox-push-service'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { closeAllOn, damageChats, factsOn, followClosings, knows, shownOn } from './shown-notifications.ts'
import { type Opened, originOf, test as walk } from './walk-test.ts'
import type { WalkingBot } from './walking-bot.ts'

/** Replaces the subscriptions of the browser: its push service is on this machine. */
function standIn(endpoint: string): void {
  let kept: object | undefined
  const point = new Uint8Array(65).fill(4)
  const keys: Record<string, Uint8Array> = { p256dh: point, auth: new Uint8Array(16).fill(5) }
  Object.assign(PushManager.prototype, {
    getSubscription: async () => kept ?? null,
    subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
      kept = {
        endpoint,
        options: { applicationServerKey: applicationServerKey.buffer },
        getKey: (name: string) => keys[name]?.buffer,
        unsubscribe: async () => {
          kept = undefined
        },
      }
      return kept
    },
  })
}

const test = walk
  .extend('chromium', { scope: 'file' }, () => 'whole' as const)
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('service', { scope: 'file' }, async ({}, { onCleanup }) => {
    const service = await FirefoxPushService.start()
    onCleanup(() => service.stop())
    return service
  })
  .extend('world', { scope: 'file' }, async ({ service }, { onCleanup }) => {
    const world = await World.start({ relayApp: await builtApp(), relayPush: { hosts: [service.origin] } })
    onCleanup(() => world.stop())
    return world
  })
  .extend('alice', async ({ openApp, service }) => {
    const opened = await openApp({ permissions: ['notifications'] })
    await opened.person.context.addInitScript(standIn, `${service.origin}/wpush/alice`)
    return opened
  })

type Pushed = { group: string; sender: string; message?: string; count?: number; attention?: string; ts?: number }

const newMessage = () => toBase32(randomBytes(20))
let lastTs = Date.now()

/** Delivers pushes as Chromium's own push service would. */
async function deliverer(person: Opened['person'], origin: string) {
  const devtools = await person.context.newCDPSession(person.page)
  let registrationId: string | undefined
  devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`)?.registrationId ?? registrationId
  })
  await devtools.send('ServiceWorker.enable')
  await expect.poll(() => registrationId).toBeDefined()
  const text = async (data: string) =>
    await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId: registrationId ?? '', data })
  const message = async (pushed: Pushed): Promise<string> => {
    const whole = { v: 1, attention: 'message', count: 1, message: newMessage(), ts: ++lastTs, ...pushed }
    await text(JSON.stringify(whole))
    return whole.message
  }
  return { text, message }
}

/** With a chat that the service worker knows, on a screen that is not the chat. */
async function settled(person: Opened['person'], { world, bot }: { world: World; bot: WalkingBot }) {
  const { page } = person
  const chat = await person.starts(bot, 'Alice')
  const { account, pushes } = bot.gateway.client
  const group = pushes.groups().find(each => each.chat === chat)?.group ?? ''
  await knows(page, { notify: 'name', titles: ['Harbour'] })
  await page.goto(`${originOf(world)}/#settings/notifications`)
  await page.getByText('You get notified, also while Postern is closed.').waitFor()
  return { page, chat, account, of: { group, sender: account }, push: await deliverer(person, originOf(world)) }
}

/**
 * Until it is shown: a Chromium without a desktop forgets about one of thirty notifications in the moment in which it
 * shows it, and then the next push comes.
 */
const shows = async (page: Page, expected: object[], deliver: () => Promise<unknown>): Promise<void> =>
  await expect
    .poll(
      async () => {
        if ((await shownOn(page)).length === 0) await deliver()
        return await shownOn(page)
      },
      { interval: 500 },
    )
    .toMatchObject(expected)

const newMessageIn = (chat: string, title = 'Harbour') => [{ title, body: 'New message', chat }]

test('[APP-14.44] a push shows the name of the chat, and a click opens it', async ({ alice, world, bot }) => {
  const { person } = alice
  const { page, account, of, push } = await settled(person, { world, bot })
  await shows(page, newMessageIn(account), () => push.message(of))
  const second = { ...of, count: 2, attention: 'mention' }
  await push.message(second)
  await shows(page, [{ title: 'Harbour (2)', body: 'You were mentioned' }], () => push.message(second))
  const [worker] = person.context.serviceWorkers()
  const closed = await followClosings(person.context)
  await worker?.evaluate(async () => {
    const scope = globalThis as unknown as { registration: ServiceWorkerRegistration }
    const [notification] = await scope.registration.getNotifications()
    const Clicked = Reflect.get(globalThis, 'NotificationEvent') as new (kind: string, of: object) => Event
    dispatchEvent(new Clicked('notificationclick', { notification }))
  })
  await person.field.waitFor()
  expect(await closed()).toContain('Harbour (2)')
})

test('[APP-7.21] a push that is delivered again shows nothing', async ({ alice: { person }, world, bot }) => {
  const { page, account, of, push } = await settled(person, { world, bot })
  let message = ''
  await shows(page, newMessageIn(account), async () => void (message = await push.message(of)))
  await closeAllOn(page)
  await push.message({ ...of, message })
  // Pushes are handled in order: this one comes after it.
  await shows(page, newMessageIn('', 'Postern'), () => push.text('not a push of ours'))
})

test('[APP-7.21] a message that a push has shown is not shown by the page', async ({
  alice: { person },
  world,
  bot,
}) => {
  const { page, chat, account, of, push } = await settled(person, { world, bot })
  // As a push that has overtaken the connection: it stands for all messages up to its time.
  await shows(page, newMessageIn(account), () => push.message({ ...of, ts: Date.now() + 600_000 }))
  await closeAllOn(page)
  await bot.says(chat, { text: 'The disk is full.' })
  await page
    .getByRole('link', { name: /Harbour.*The disk is full/s })
    .first()
    .waitFor()
  expect(await shownOn(page)).toEqual([])
})

test('[APP-7.23] the badge counts pushed messages by their chat', async ({ alice: { person }, world, bot }) => {
  const { page, account, of, push } = await settled(person, { world, bot })
  await push.message(of)
  await push.message({ ...of, count: 3 })
  await shows(page, [{ body: '3 new messages' }], () => push.message({ ...of, count: 3 }))
  await expect.poll(() => factsOn(page)).toMatchObject({ unread: { count: 0, pushed: { [account]: 3 } } })
})

test('[APP-7.19] whatever cannot be read, a push says that there is a message', async ({
  alice: { person },
  world,
  bot,
}) => {
  const { page, of, push } = await settled(person, { world, bot })
  const unknown = newMessageIn('', 'Postern')
  await shows(page, unknown, () => push.message({ ...of, group: toBase32(randomBytes(16)) }))
  await closeAllOn(page)
  await shows(page, unknown, () => push.text('{"v":2}'))
  await closeAllOn(page)
  // The core writes the table again when something has changed: then it is damaged once more.
  const shownFromDamage = async () => {
    await closeAllOn(page)
    await damageChats(page)
    await shows(page, [{}], () => push.message(of))
    return await shownOn(page)
  }
  await expect.poll(shownFromDamage).toEqual(unknown)
})

test('[APP-14.44] the lowest level names nobody, and off leaves nothing', async ({ alice: { person }, world, bot }) => {
  const { page, account, of, push } = await settled(person, { world, bot })
  await page.getByRole('radio', { name: 'Something arrived' }).check()
  await knows(page, { notify: 'nothing', titles: [''] })
  await shows(page, newMessageIn(account, 'Postern'), () => push.message(of))
  await page.getByRole('radio', { name: 'Off' }).check()
  await knows(page, {})
  await page.getByText('Notifications are off.').waitFor()
})

test('[APP-7.25] the settings in another tab say the same', async ({ alice: { person }, world, bot }) => {
  const { page } = await settled(person, { world, bot })
  const { page: other } = await person.opensTab()
  await other.goto(`${originOf(world)}/#settings/notifications`)
  await other.getByText('You get notified, also while Postern is closed.').waitFor()
  await other.getByRole('radio', { name: 'Off' }).check()
  await page.getByText('Notifications are off.').waitFor()
  await other.getByRole('radio', { name: 'Something arrived' }).check()
  for (const each of [page, other]) await each.getByText('You get notified, also while Postern is closed.').waitFor()
})

test('[APP-14.44] reading the chat takes its notification away', async ({ alice: { person }, world, bot }) => {
  const { page, account, of, push } = await settled(person, { world, bot })
  await shows(page, [{}], () => push.message(of))
  const closed = await followClosings(person.context)
  await page.goto(`${originOf(world)}/#c/${account}`)
  await expect.poll(closed).toEqual(['Harbour'])
})

const PASSPHRASE = 'correct horse'

async function turnsLockOn(person: Opened['person']): Promise<void> {
  await person.presses(/^App lock/)
  const dialog = person.dialog('App lock')
  await dialog.getByLabel('New passphrase or PIN').fill(PASSPHRASE)
  await dialog.getByLabel('Once more').fill(PASSPHRASE)
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await person.seesToast('App lock is on')
}

test('[APP-14.47] a locked app opens with its passphrase alone, and its pushes name nobody', async ({
  alice: { person },
  world,
  bot,
}) => {
  const { page, account, of, push } = await settled(person, { world, bot })
  await shows(page, newMessageIn(account), () => push.message(of))
  await page.goto(`${originOf(world)}/#settings/privacy`)
  await turnsLockOn(person)
  await knows(page, { notify: 'nothing', titles: [''] })
  const tab = await person.opensTab()
  await tab.button('Lock now').waitFor()
  const closed = await followClosings(person.context)
  // Both forget what they have shown.
  const pages = [page, tab.page]
  await Promise.all([...pages.map(each => each.waitForEvent('load')), person.presses('Lock now')])
  for (const each of pages) await each.getByRole('heading', { name: 'Postern is locked' }).waitFor()
  await expect.poll(closed).toContain('Harbour')
  expect(await shownOn(page)).toEqual([])
  await shows(page, newMessageIn(account, 'Postern'), () => push.message(of))
  // A new core, as after a reload, knows no passphrase.
  await page.reload()
  const field = page.getByLabel('Passphrase or PIN')
  await field.waitFor()
  await field.fill('wrong horse')
  await field.press('Enter')
  await page.getByText('This passphrase is not right.').waitFor()
  await field.fill(PASSPHRASE)
  await field.press('Enter')
  for (const each of [person, tab]) await each.button('Lock now').waitFor()
  await person.presses(/^Turn off app lock/)
  await person.dialog('Turn off app lock').getByLabel('Current passphrase or PIN').fill(PASSPHRASE)
  await person.dialog('Turn off app lock').getByRole('button', { name: 'Turn off app lock' }).click()
  await person.seesToast('App lock is off')
  await knows(page, { notify: 'name', titles: ['Harbour'] })
  await page.reload()
  await person.button(/^App lock/).waitFor()
})

/** As a browser that was killed leaves one of an unlocked app. */
const leavesNamed = (page: Page, title: string): Promise<void> =>
  page.evaluate(async named => {
    const registration = await navigator.serviceWorker.ready
    await registration.showNotification(named, { tag: named, data: { chat: '', shownMs: 0, isNamed: true } })
  }, title)

test('[APP-14.47] a closed app with a lock closes what it has shown, and a push closes what a killed one has left', async ({
  alice: { person, faults },
  world,
  bot,
}) => {
  // A page that is nothing but text names no icon.
  faults.expected = /favicon/
  const { page, chat, account, of, push } = await settled(person, { world, bot })
  await page.goto(`${originOf(world)}/#settings/privacy`)
  await turnsLockOn(person)
  await knows(page, { notify: 'nothing', titles: [''] })
  // By the page: it is unlocked, and shows the name.
  await shows(page, [{ title: expect.stringMatching(/^Harbour/), chat: account }], () =>
    bot.says(chat, { text: 'The disk is full.' }),
  )
  const closed = await followClosings(person.context)
  // A page of the origin that is not the app: it can only look.
  await page.goto(`${originOf(world)}/licences.txt`)
  await expect.poll(closed).toEqual([expect.stringMatching(/^Harbour/)])
  await leavesNamed(page, 'Left')
  await push.message(of)
  await expect.poll(closed).toContain('Left')
})

/** A browser that has not been asked yet. Chromium without a screen answers such a question with no. */
function unasked(): void {
  let permission = 'default'
  Object.defineProperty(Notification, 'permission', { get: () => permission })
  Object.assign(Notification, { requestPermission: async () => (permission = 'granted') })
}

test('[APP-14.46] notifications are offered after an answer, and not again after “Not now”', async ({
  alice: { person },
  bot,
}) => {
  const { page } = person
  await person.context.addInitScript(unasked)
  const chat = await person.starts(bot, 'Alice')
  await bot.says(chat, { text: 'Hello, Alice.' })
  await person.presses('Turn on…')
  const dialog = person.dialog('Get notified of new messages?')
  await dialog.getByRole('button', { name: 'Not now' }).click()
  await person.button('Turn on…').waitFor({ state: 'detached' })
  await page.reload()
  await person.sees('Hello, Alice.')
  expect(await person.button('Turn on…').count()).toBe(0)
})

/** As Chromium fires it on a site with an address of its own. */
function firesInstall(): void {
  const prompt = async () => {
    Reflect.set(globalThis, 'asked', Number(Reflect.get(globalThis, 'asked') ?? 0) + 1)
  }
  dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt }))
}

test('[APP-14.48] installing is offered once, and stays in the settings', async ({ alice: { person }, bot }) => {
  const { page } = person
  const chat = await person.starts(bot, 'Alice')
  await page.evaluate(firesInstall)
  await bot.says(chat, { text: 'Hello, Alice.' })
  await person.presses('Install…')
  await person.dialog('Install Postern?').getByRole('button', { name: 'Not now' }).click()
  await person.button('Install…').waitFor({ state: 'detached' })
  expect(await page.evaluate('globalThis.asked')).toBeUndefined()
  await page.evaluate(() => void (location.hash = 'settings'))
  await page.getByText('Install app').click()
  await expect.poll(() => page.evaluate('globalThis.asked')).toBe(1)
  await page.getByText('Install app').waitFor({ state: 'detached' })
  // A later visit: the browser says again that it can be installed.
  await page.reload()
  await page.getByText('About').first().waitFor()
  await page.evaluate(firesInstall)
  await page.getByText('Install app').waitFor()
  expect(await person.button('Install…').count()).toBe(0)
})

test('[APP-14.46] “Turn on” asks the browser, and keeps the chosen level', async ({ alice: { person }, bot }) => {
  const { page } = person
  await person.context.addInitScript(unasked)
  const chat = await person.starts(bot, 'Alice')
  await bot.says(chat, { text: 'Hello, Alice.' })
  await person.presses('Turn on…')
  const dialog = person.dialog('Get notified of new messages?')
  await dialog.getByRole('radio', { name: 'Something arrived' }).check()
  await dialog.getByRole('button', { name: 'Turn on', exact: true }).click()
  await knows(page, { notify: 'nothing', titles: [''] })
})
