// The fixtures of a walk: a relay that serves the app, a gateway with a bot, and people in separate browsers.
import { builtApp } from '@postern/app/build'
import type { Client } from '@postern/core'
import { type TestGateway, WITHIN, World } from '@postern/testkit'
import { type ChromiumKind, isFirefox, LivingBrowser, openBrowser } from '@postern/testkit/browser'
import type { BrowserContextOptions } from 'playwright-core'
import { expect, test as plain } from 'vitest'
import { AppPerson } from './app-person.ts'
import { PageFaults } from './page-faults.ts'
import { WalkingBot } from './walking-bot.ts'

/** The address of the app: that of the relay. */
export const originOf = (world: World): string => new URL(world.relayUrl.replace(/^ws/, 'http')).origin

/** An empty answer is shorter: a written profile is padded. */
const WRITTEN_BYTES = 256

/** An account that is online may not have told the relay its name yet, and a page asks for it again only after a pause. */
export async function inviteOf(world: World, client: Client): Promise<string> {
  const written = async (): Promise<number> => {
    const answer = await fetch(`${originOf(world)}/profiles/${client.account}`)
    return answer.ok ? (await answer.arrayBuffer()).byteLength : 0
  }
  // The relay answers an address 60 times a minute, and the page is one of those who ask.
  await expect.poll(written, { interval: 2_000 }).toBeGreaterThan(WRITTEN_BYTES)
  return client.identity.me().inviteUrl
}

export type Opened = { person: AppPerson; faults: PageFaults }
export type OpenApp = (options?: BrowserContextOptions) => Promise<Opened>

export const test = plain
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
    const world = await World.start({ relayApp: await builtApp() })
    onCleanup(() => world.stop())
    return world
  })
  /** A file that needs a microphone or notifications asks for the whole browser. */
  .extend('chromium', { scope: 'file' }, (): ChromiumKind => 'shell')
  .extend('browser', { scope: 'file' }, async ({ chromium }, { onCleanup }) => {
    const browser = new LivingBrowser(() => openBrowser(chromium))
    onCleanup(() => browser.close())
    return browser
  })
  .extend('gateway', { scope: 'file' }, async ({ world }): Promise<TestGateway> => {
    const gateway = await world.gateway({ BOT_NAME: 'Harbour' })
    await gateway.client.whenOnline(WITHIN)
    await inviteOf(world, gateway.client)
    return gateway
  })
  .extend('bot', { scope: 'file' }, ({ gateway }) => new WalkingBot(gateway))
  /** The servers that a page may ask. */
  .extend('origins', ({ world }): readonly string[] => [originOf(world)])
  /** An empty browser for each call; every fault in it fails the test. */
  .extend('openApp', async ({ origins, browser, task, onTestFailed }, { onCleanup }): Promise<OpenApp> => {
    const opened: Opened[] = []
    onTestFailed(() => browser.assertAlive())
    onCleanup(async () => {
      const hasFailed = task.result?.state === 'fail'
      // Nothing is left to be closed. Thrown here, it would end the repetition, too.
      if (hasFailed && !(await browser.isAlive())) return
      if (hasFailed) for (const { person } of opened) await person.reports()
      await Promise.all(opened.map(({ person }) => person.context.close()))
      for (const { faults } of opened) faults.assertNone()
    })
    return async options => {
      const context = await (await browser.get()).newContext({ locale: 'en-GB', ...options })
      context.setDefaultTimeout(WITHIN.timeoutMs)
      const faults = new PageFaults(context, origins)
      const one = { person: new AppPerson(context, await context.newPage()), faults }
      opened.push(one)
      return one
    }
  })
  .extend('alice', async ({ openApp }) => await openApp())

/**
 * For faults that a test can cause in Chromium alone: crashed tabs, killed workers, full disks. Also for code that every
 * browser runs alike.
 */
export const testInChromium = test.skipIf(isFirefox())
