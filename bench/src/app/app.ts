// The app in a real browser with a profile on the disk, served by the relay: starts, echoes, scrolling, memory, sizes.
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { launchOptions } from '@postern/testkit/chromium'
import { chromium } from 'playwright-core'
import { type Ring, startRing, stopRing } from '../echo/ring.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { AppPage } from './app-page.ts'
import { measurePageEcho } from './echo.ts'
import { rendererMib } from './renderers.ts'
import { measureScroll } from './scroll.ts'
import { sizeRows } from './sizes.ts'
import { measureOffline, measureStarts, startPeer, startRows } from './starts.ts'

export const measureApp = (): Promise<Row[]> =>
  inScratch(async directory => {
    const app = await builtApp()
    const ring = await startRing(join(directory, 'ring'), { people: 0, app })
    const relayUrl = new URL(await ring.gateway.ask<string>('invite')).origin
    const scrolled = await measureScroll(directory, relayUrl)
    return [...(await measureTalk(directory, { ring, app })), ...scrolled]
  })

/** The relay is stopped at its end. */
async function measureTalk(directory: string, { ring, app }: { ring: Ring; app: string }): Promise<Row[]> {
  const invite = await ring.gateway.ask<string>('invite')
  const relayUrl = new URL(invite).origin
  const peer = await startPeer(directory, { relayUrl, invite })
  const emptyMib = await emptyPageMib(join(directory, 'empty'), relayUrl)
  const context = await chromium.launchPersistentContext(join(directory, 'profile'), launchOptions())
  const tab = await AppPage.open(context, invite)
  const linkMs = await tab.beginMs('Ada')
  await tab.pressStart()
  const fetched = await tab.fetched()
  const echoRows = await measurePageEcho(context, { tab, person: peer.person })
  await tab.isKept()
  const starts = await measureStarts(context, tab)
  const tabMib = await rendererMib(context.browser())
  await peer.person.stop()
  await stopRing(ring)
  const offlineMs = await measureOffline(tab)
  await context.close()
  const memory: Row = {
    what: 'app, renderer, PSS',
    ours: tabMib,
    unit: 'MiB',
    peer: { what: 'empty page', figure: emptyMib, better: 'less' },
  }
  return [...startRows({ linkMs, starts, offlineMs, peer }), ...echoRows, memory, ...sizeRows(app, fetched)]
}

/** A page of the same origin, without the app. */
async function emptyPageMib(profile: string, relayUrl: string): Promise<number> {
  const context = await chromium.launchPersistentContext(profile, launchOptions())
  const page = await context.newPage()
  await page.goto(`${relayUrl}/app.webmanifest`)
  const mib = await rendererMib(context.browser())
  await context.close()
  return mib
}
