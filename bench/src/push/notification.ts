// From a bot's message to the notification in a real Firefox whose app is closed, through a push service on this machine.

import { setTimeout as wait } from 'node:timers/promises'
import { builtApp } from '@postern/app/build'
import { pushLimits } from '@postern/protocol'
import { World } from '@postern/testkit'
import { FIREFOX_MISSING, findFirefox, firefoxLaunchOptions } from '@postern/testkit/firefox'
import { FirefoxPushService } from '@postern/testkit/firefox-push-service'
import { type BrowserContext, firefox, type Page } from 'playwright-core'
import { median, percentile } from '../figures.ts'
import type { Row } from '../table.ts'

const MESSAGES = 6
/** Messages that come faster are collapsed, counted and pushed later. */
const EVERY_MS = 60_000 / pushLimits.groupPerMinute + 1_000
/** Firefox answers a page that asks without a pause, and has no time left to show anything. */
const LOOK_EVERY_MS = 20
const ONLINE_WITHIN = { timeoutMs: 60_000 }

/** `totalMs`: since the message was sent. `firefoxMs`: since the push service passed it to Firefox. */
type Notified = { totalMs: number; firefoxMs: number }
type Scene = { world: World; service: FirefoxPushService }

export async function measureNotification(): Promise<Row[]> {
  if (findFirefox() === undefined) {
    console.error(`${FIREFOX_MISSING} The time until a notification is not measured.`)
    return []
  }
  const service = await FirefoxPushService.start()
  const world = await World.start({ relayApp: await builtApp(), relayPush: { hosts: [service.origin] } })
  const { firefoxUserPrefs, ...options } = firefoxLaunchOptions()
  const preferences = { ...firefoxUserPrefs, ...service.firefoxPreferences }
  const browser = await firefox.launch({ ...options, firefoxUserPrefs: preferences })
  try {
    return rowsOf(await notifyAll({ world, service }, await browser.newContext({ locale: 'en' })))
  } finally {
    await browser.close()
    await world.stop()
    await service.stop()
  }
}

async function notifyAll({ world, service }: Scene, context: BrowserContext): Promise<Notified[]> {
  const gateway = await world.gateway({ BOT_NAME: 'Harbour' })
  await gateway.client.whenOnline(ONLINE_WITHIN)
  const page = await context.newPage()
  const { origin } = new URL(gateway.client.identity.me().inviteUrl)
  await subscribe(page, gateway.client.identity.me().inviteUrl)
  const [chat] = (await gateway.api<{ id: string }[]>('GET', '/v1/chats')).body
  // A page of the origin that is not the app: it can only look.
  await page.goto(`${origin}/licences.txt`)
  await wait(pushLimits.awayAfterMs)
  const notified: Notified[] = []
  for (let at = 0; at < MESSAGES; at++) {
    const text = `The disk is full, ${at}.`
    const shown = shownIn(page, text)
    const sentMs = performance.now()
    await gateway.api('POST', `/v1/chats/${chat?.id}/messages`, { text })
    await shown
    const shownMs = performance.now()
    const acceptedMs = service.accepted.at(-1)?.atMs ?? Number.NaN
    notified.push({ totalMs: shownMs - sentMs, firefoxMs: shownMs - acceptedMs })
    await wait(EVERY_MS)
  }
  return notified
}

/** A person who has come by the link and wants to be notified with the words of messages. */
async function subscribe(page: Page, invite: string): Promise<void> {
  await page.goto(invite)
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada')
  await page.getByRole('button', { name: /^Start (a chat with|chat)/ }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const chat = page.url()
  await page.goto(`${new URL(invite).origin}/#settings/notifications`)
  await page.getByText('You get notified, also while Postern is closed.').waitFor()
  await page.getByRole('radio', { name: 'Chat name and text' }).check()
  await page.goto(chat)
  // With this the bot learns that the words are wanted.
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill('Tell me everything.')
  await field.press('Enter')
  await page
    .getByRole('article')
    .filter({ hasText: /Delivered|Read/ })
    .filter({ hasText: 'everything' })
    .waitFor()
}

/** Asks inside the page, because each question over the driver takes milliseconds. */
const shownIn = (page: Page, text: string): Promise<void> =>
  page.evaluate(
    async ({ words, everyMs, withinMs }) => {
      const registration = await navigator.serviceWorker.ready
      const endMs = performance.now() + withinMs
      while (!(await registration.getNotifications()).some(({ body }) => body === words)) {
        if (performance.now() > endMs) throw new Error('there is no notification')
        await new Promise(resolve => setTimeout(resolve, everyMs))
      }
    },
    { words: text, everyMs: LOOK_EVERY_MS, withinMs: ONLINE_WITHIN.timeoutMs },
  )

function rowsOf(notified: readonly Notified[]): Row[] {
  const row = (what: string, of: (times: readonly number[]) => number): Row => ({
    what: `message to notification in Firefox, ${what}`,
    ours: of(notified.map(({ totalMs }) => totalMs)),
    unit: 'ms',
    peer: {
      what: 'Firefox alone, from the push service on',
      figure: of(notified.map(({ firefoxMs }) => firefoxMs)),
      better: 'less',
    },
  })
  return [row('p50', median), row('longest', times => percentile(times, 1))]
}
