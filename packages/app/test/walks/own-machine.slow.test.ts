// The app out of `postern app`: everything that runs comes from this machine, and a relay without an app has the rest.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { World } from '@postern/testkit'
import { freePort } from '@postern/testkit/free-port'
import { OwnAppProcess } from '@postern/testkit/processes'
import type { Request } from 'playwright-core'
import { expect } from 'vitest'
import { hashApp } from '../../src/contract/app-hash.ts'
import { samplePhoto } from './sample-photo.ts'
import { test as base, originOf } from './walk-test.ts'

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('world', { scope: 'file' }, async ({}, { onCleanup }) => {
    const world = await World.start()
    onCleanup(() => world.stop())
    return world
  })
  .extend('own', { scope: 'file' }, async ({ world }, { onCleanup }) => {
    const process = new OwnAppProcess({ relay: originOf(world), port: await freePort() })
    onCleanup(() => process.end())
    process.start()
    return { process, url: await process.url() }
  })
  .extend('origins', ({ world, own }): readonly string[] => [originOf(world), own.url])

test('[APP-14.38] all code comes from this machine, and messages and files go to the relay', async ({
  world,
  own,
  bot,
  alice: { person: alice, faults },
}) => {
  const requests: Request[] = []
  alice.context.on('request', request => void requests.push(request))
  await alice.page.goto(own.url)
  await alice.presses('I have an invite link')
  await alice.page.getByRole('textbox', { name: 'Link' }).fill(bot.link)
  await alice.presses('Open')
  await alice.page.getByText(`invites you to a chat on ${new URL(originOf(world)).host}`).waitFor()
  await alice.page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
  await alice.presses(/^Start a chat with/)
  await alice.presses('Start')
  const { chat_id } = await bot.hears('/start')
  const photo = { bytes: samplePhoto({ width: 640, height: 400 }), name: 'pier.png' }
  await alice.sendsPhoto({ ...photo, caption: 'my pier' })
  await bot.hears('my pier')
  await bot.sendsPhoto(chat_id, { ...photo, caption: 'your pier' })
  await alice.sees('your pier')
  const theirs = alice.page.getByRole('button', { name: 'View photo pier.png' }).last()
  await theirs.click()
  const shown = alice.dialog('Photo').getByRole('img', { name: 'pier.png' })
  await expect.poll(() => shown.evaluate(it => (it as HTMLImageElement).naturalWidth)).toBe(640)

  const atRelay = requests.map(request => new URL(request.url())).filter(({ origin }) => origin === originOf(world))
  expect(new Set(atRelay.map(({ pathname }) => pathname.split('/')[1]))).toEqual(new Set(['profiles', 'blobs']))

  // The policy names this relay and no other server.
  faults.expected = /Content Security Policy|violates the document/
  const other = `http://127.0.0.1:${await freePort()}/`
  expect(await alice.page.evaluate(refusedBy, other)).toBe('connect-src')
})

/** In the page: the rule of its policy that refuses a request. */
async function refusedBy(url: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  addEventListener('securitypolicyviolation', violated => resolve(violated.effectiveDirective), { once: true })
  await fetch(url).catch(() => undefined)
  return await promise
}

test('[APP-14.38] invite links of the account lead to the relay, and a link opens here too', async ({
  world,
  own,
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp()
  await alice.page.goto(own.url + new URL(bot.link).hash)
  await alice.page.getByText(`invites you to a chat on ${new URL(originOf(world)).host}`).waitFor()
  await alice.page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
  await alice.presses(/^Start a chat with/)
  await alice.presses('Start')
  await bot.hears('/start')
  await alice.page.goto(`${own.url}#settings/invite`)
  await alice.page.getByText(`${originOf(world)}/#i/`).waitFor()
  await alice.page.goto(`${own.url}#settings/about`)
  await alice.page.getByText(new URL(originOf(world)).host, { exact: true }).waitFor()
})

test('[APP-14.41] the hash of the files is that of the built app, also where the page names a relay', async ({
  own,
  openApp,
}) => {
  const { person: alice } = await openApp()
  await alice.begins(own.url, 'Alice')
  await alice.page.goto(`${own.url}#settings/about`)
  await alice.presses(/^Hash of the files/)
  const folder = await builtApp()
  const { hash } = await hashApp(async name => new Uint8Array(readFileSync(join(folder, name))))
  await alice.page.getByText(hash, { exact: true }).waitFor()
})

test('[APP-14.39] while the command does not run, the app starts from the browser and talks to the relay', async ({
  own,
  bot,
  openApp,
}) => {
  const { person: alice, faults } = await openApp()
  faults.mayBeCut = true
  await alice.page.goto(own.url + new URL(bot.link).hash)
  await alice.page.getByRole('textbox', { name: 'Your name' }).fill('Alice')
  await alice.presses(/^Start a chat with/)
  await alice.presses('Start')
  await bot.hears('/start')
  await alice.isKeptForOffline()
  await alice.page.reload()
  await alice.field.waitFor()
  await own.process.kill()
  await alice.page.reload()
  await alice.writes('without the command')
  await bot.hears('without the command')
})
