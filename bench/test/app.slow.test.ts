// The parts that measure the app, on their own relay, gateway and bot: they must find what they wait for.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { connectChromium } from '@postern/testkit/browser'
import { expect, onTestFinished, test } from 'vitest'
import { AppPage } from '../src/app/app-page.ts'
import { visitOn } from '../src/app/first-field.ts'
import { makeLongHistory } from '../src/app/long-history.ts'
import { pssMib } from '../src/app/renderers.ts'
import { jumpInPage, scrollInPage } from '../src/app/scroll-in-page.ts'
import { packedKb, partsOf } from '../src/app/sizes.ts'
import { startRing, stopRing } from '../src/echo/ring.ts'

async function inBrowser() {
  const directory = mkdtempSync(join(tmpdir(), 'postern-bench-test-'))
  const app = await builtApp()
  const ring = await startRing(join(directory, 'ring'), { people: 0, app })
  const browser = await connectChromium()
  const context = await browser.newContext({ locale: 'en' })
  onTestFinished(async () => {
    await browser.close()
    await stopRing(ring)
    rmSync(directory, { recursive: true, force: true })
  })
  return { directory, app, context, invite: await ring.gateway.ask<string>('invite') }
}

test('an echo is timed from the key to the row, after a start by the link', async () => {
  const { app, context, invite } = await inBrowser()
  const tab = await AppPage.open(context, invite)
  expect(await tab.beginMs('Ada')).toBeGreaterThan(0)
  await tab.pressStart()
  const echoes = await tab.echo({ label: 'test', count: 2 })
  expect(echoes).toHaveLength(2)
  for (const { shownMs, sentMs, backMs } of echoes) {
    expect(shownMs).toBeGreaterThan(0)
    expect(sentMs).toBeGreaterThanOrEqual(shownMs)
    expect(backMs).toBeGreaterThanOrEqual(shownMs)
  }

  const parts = partsOf(app, await tab.fetched())
  expect(parts.worker).toHaveLength(1)
  expect(parts.SQLite).toHaveLength(2)
  for (const names of Object.values(parts)) expect(packedKb(app, names)).toBeGreaterThan(1)

  await tab.reload()
  expect(await tab.markMs('messages')).toBeGreaterThan(0)
  expect(await tab.markMs('online')).toBeGreaterThan(0)
})

test('a first visit over a slow line sees the field, and then a core', async () => {
  const { invite } = await inBrowser()
  const { fieldMs, coreMs } = await visitOn(invite, { line: { kbitPerSec: 100_000, roundTripMs: 2 }, slowerCpu: 1 })
  expect([fieldMs > 0, coreMs > 0]).toEqual([true, true])
})

test('a long history comes by a backup, is scrolled and jumped about in', async () => {
  const { directory, context, invite } = await inBrowser()
  const relayUrl = new URL(invite).origin
  const { chat, messages, ...backup } = await makeLongHistory(join(directory, 'long'), { relayUrl, count: 500 })
  const tab = await AppPage.open(context, relayUrl)
  await tab.restore(backup)
  await tab.page.goto(`${relayUrl}/#c/${chat}`)
  await tab.markMs('messages')
  const { frameMs, driftPx } = await tab.page.evaluate(scrollInPage, { frames: 10, stepPx: 120 })
  expect([frameMs.length, driftPx.length > 0]).toEqual([10, true])
  const id = String(messages[0])
  expect(await tab.page.evaluate(jumpInPage, { address: `c/${chat}/${id}`, id })).toBeGreaterThan(0)
})

test('the share of memory is read as Linux tells it', () => {
  expect(pssMib('Rss:  9999 kB\nPss:               2048 kB\nPss_Dirty:  1 kB\n')).toBe(2)
})
