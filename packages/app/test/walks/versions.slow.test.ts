// Two versions of the app in one browser: an old page meets a new core, and both end as the new one.
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { World } from '@postern/testkit'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { test as base } from './walk-test.ts'

const NEWER = 'a-newer-build'

const test = base
  /** The built app, in a folder that a test may change. */
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('folder', { scope: 'file' }, async ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-app-'))
    onCleanup(() => rmSync(folder, { recursive: true }))
    cpSync(await builtApp(), folder, { recursive: true })
    return folder
  })
  .extend('world', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const world = await World.start({ relayApp: folder })
    onCleanup(() => world.stop())
    return world
  })

/** The page's own build: it is shown in the line below the word. */
async function buildOf({ page }: AppPerson): Promise<string> {
  await page.evaluate(() => void (location.hash = 'settings/about'))
  const told = page.getByText('Build', { exact: true }).locator('xpath=../following-sibling::*[1]')
  return (await told.textContent()) ?? ''
}

/** Another version in the folder: it has another build, and its files have other names. */
function rebuild(folder: string, older: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const name of names.filter(name => /\.(br|gz)$/.test(name))) rmSync(join(folder, name))
  for (const name of names.filter(name => /\.(js|css|html|json)$/.test(name))) {
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.replaceAll(older, NEWER).replaceAll('assets/', 'assets/newer/'))
  }
  renameSync(join(folder, 'assets'), join(folder, 'newer'))
  cpSync(join(folder, 'newer'), join(folder, 'assets', 'newer'), { recursive: true })
}

test('[APP-14.25] tabs of two versions end as the newer one, and nothing is lost or doubled', async ({
  world,
  folder,
  bot,
  openApp,
}) => {
  // Without the service worker, which serves the version that it has stored.
  const { person: alice, faults } = await openApp({ serviceWorkers: 'block' })
  faults.expected = /not kept for a start without a network/
  faults.mayBeCut = true
  const chat = await alice.starts(bot, 'Alice')
  const talk = alice.page.url()
  const older = await buildOf(alice)
  await alice.page.goto(talk)
  await alice.writes('from the old version')
  await bot.hears('from the old version')

  await world.stopRelay()
  rebuild(folder, older)
  await world.startRelay()
  const other = await alice.opensTab()
  await other.sees('from the old version')
  await other.writes('from the new version')
  await bot.hears('from the new version')
  expect(await buildOf(other)).toBe(NEWER)
  // The old page reloads itself when the new core announces itself.
  await expect.poll(() => buildOf(alice)).toBe(NEWER)
  await alice.page.goto(talk)
  await alice.sees('from the new version')
  await alice.writes('from both')
  await bot.hears('from both')
  expect(bot.textsOf(chat)).toEqual(['/start', 'from the old version', 'from the new version', 'from both'])
})
