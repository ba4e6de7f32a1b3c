// Push notifications the whole way, in a real Firefox: bot, relay, a push service on this machine, service worker,
// notification, chat.
import { builtApp } from '@postern/app/build'
import { World } from '@postern/testkit'
import { LivingBrowser } from '@postern/testkit/browser'
import { FIREFOX_MISSING, findFirefox, firefoxLaunchOptions } from '@postern/testkit/firefox'
import { FirefoxPushService } from '@postern/testkit/firefox-push-service'
import { firefox } from 'playwright-core'
import { expect } from 'vitest'
import { AppPerson } from './app-person.ts'
import { closeAllOn, knows, shownOn } from './shown-notifications.ts'
import { originOf, test as walk } from './walk-test.ts'

const test = walk
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
  .extend('browser', { scope: 'file' }, async ({ service }, { onCleanup }) => {
    const options = firefoxLaunchOptions()
    const firefoxUserPrefs = { ...options.firefoxUserPrefs, ...service.firefoxPreferences }
    const browser = new LivingBrowser(() => firefox.launch({ ...options, firefoxUserPrefs }))
    onCleanup(() => browser.close())
    return browser
  })

if (findFirefox() === undefined) console.warn(`${FIREFOX_MISSING} Push notifications are not tried as a whole.`)

test.skipIf(findFirefox() === undefined)(
  '[APP-14.45] a message arrives as a notification while the app is closed, and leads to its chat',
  async ({ alice: { person }, world, bot, service }) => {
    const { page, context } = person
    const chat = await person.starts(bot, 'Alice')
    const { account } = bot.gateway.client
    await page.goto(`${originOf(world)}/#settings/notifications`)
    await page.getByText('You get notified, also while Postern is closed.').waitFor()
    await page.getByRole('radio', { name: 'Chat name and text' }).check()
    await knows(page, { notify: 'words', titles: ['Harbour'], keys: 1 })
    // With this the bot knows that its words are wanted.
    await page.goto(`${originOf(world)}/#c/${account}`)
    await person.writes('Tell me everything.')
    await bot.hears('Tell me everything.')

    // A page of the origin that is not the app: it can only look.
    await page.goto(`${originOf(world)}/licences.txt`)
    await bot.says(chat, { text: 'The disk is full.' })
    await expect.poll(() => shownOn(page)).toEqual([{ title: 'Harbour', body: 'The disk is full.', chat: account }])
    await bot.says(chat, { text: 'It is still full.' })
    await expect.poll(() => shownOn(page)).toEqual([{ title: 'Harbour (2)', body: 'It is still full.', chat: account }])
    expect(service.accepted.every(({ body }) => !body.includes('full'))).toBe(true)

    // The service delivers it again: it is not shown again.
    await closeAllOn(page)
    service.replay()
    await bot.says(chat, { text: 'Good night.' })
    await expect.poll(() => shownOn(page)).toEqual([{ title: 'Harbour (3)', body: 'Good night.', chat: account }])

    // The chat is opened: everything is there, and the notification goes.
    const opened = new AppPerson(context, page)
    await page.goto(`${originOf(world)}/#c/${account}`)
    await opened.sees('The disk is full.')
    await opened.sees('Good night.')
    await expect.poll(() => shownOn(page)).toEqual([])
  },
)
