// The first form comes before the core: a newcomer writes the name while the rest is still on its way.
import { Deferred } from '@postern/protocol'
import type { BrowserContext } from 'playwright-core'
import { expect } from 'vitest'
import { test as base, originOf } from './walk-test.ts'

const WORKER = /\/assets\/main-[\w-]+\.js$/
const DATABASE = /\/assets\/sqlite3-[\w-]+\.wasm$/
const NAME = { name: 'Your name' }

/** Without the service worker, which would answer from its own store. */
const test = base.extend('newcomer', async ({ openApp }) => {
  const opened = await openApp({ serviceWorkers: 'block' })
  opened.faults.expected = /not kept for a start without a network/
  return opened
})

/** Requests for these files wait until they are released, or fail then. */
async function holdBack(context: BrowserContext, files: RegExp) {
  const held = new Deferred<'answered' | 'failed'>()
  await context.route(files, async route => {
    const outcome = await held.promise
    await (outcome === 'answered' ? route.continue() : route.abort()).catch(() => undefined)
  })
  return { release: () => held.resolve('answered'), fail: () => held.resolve('failed') }
}

test('[APP-8.15] the form takes a name while the core is on its way, and the chat opens with that name', async ({
  bot,
  newcomer: { person: alice },
}) => {
  const core = await holdBack(alice.context, WORKER)
  await alice.page.goto(bot.link)
  await alice.page.getByRole('textbox', NAME).fill('Alice')
  await alice.presses('Start chat')
  await alice.page.getByRole('button', { name: 'Start chat', disabled: true }).waitFor()
  core.release()
  await alice.presses('Start')
  const { message } = await bot.hears('/start')
  expect(message.from.name).toBe('Alice')
})

test('[APP-8.15] the core and the rest of the app are requested after the form', async ({
  world,
  newcomer: { person: alice },
}) => {
  const paths: string[] = []
  alice.context.on('request', request => void paths.push(new URL(request.url()).pathname))
  const core = await holdBack(alice.context, WORKER)
  const asked = alice.page.waitForRequest(WORKER)
  await alice.page.goto(originOf(world))
  await asked
  expect(await alice.page.getByRole('textbox', NAME).count()).toBe(1)
  const before = paths.slice(
    0,
    paths.findIndex(path => WORKER.test(path)),
  )
  expect(before.filter(path => /conversation|emoji|jsQR|sqlite|settings/.test(path))).toEqual([])
  // All that comes before is named by the page itself, so that nothing waits for something else.
  const page = await (await fetch(originOf(world))).text()
  expect(before.filter(path => path.endsWith('.js') && !page.includes(path))).toEqual([])

  const conversation = alice.page.waitForRequest(/conversation-/)
  core.release()
  await conversation
})

test('[APP-8.16] a fault of the core is shown in place of the form', async ({
  world,
  newcomer: { person: alice, faults },
}) => {
  faults.mayBeCut = true
  faults.expected = /the account could not be opened|wasm|Failed to fetch|not kept for a start/
  const database = await holdBack(alice.context, DATABASE)
  await alice.page.goto(originOf(world))
  await alice.page.getByRole('textbox', NAME).fill('Alice')
  database.fail()
  await alice.page.getByRole('heading', { name: 'Postern could not start' }).waitFor()
  expect(await alice.page.getByRole('textbox', NAME).count()).toBe(0)
})

test('[APP-8.17] a browser with an account never shows the form, however long the core takes', async ({
  bot,
  newcomer: { person: alice },
}) => {
  await alice.starts(bot, 'Alice')
  const core = await holdBack(alice.context, WORKER)
  const asked = alice.page.waitForRequest(WORKER)
  await alice.page.reload()
  await asked
  await alice.page.getByRole('heading', { name: 'Opening Postern' }).waitFor()
  expect(await alice.page.getByRole('textbox', NAME).count()).toBe(0)
  core.release()
  await alice.sees('/start')
})
