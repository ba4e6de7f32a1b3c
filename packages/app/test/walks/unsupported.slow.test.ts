// Browsers that cannot run the app: old ones, and those that have what it needs and refuse it. Each gets a sentence.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtApp } from '@postern/app/build'
import { WITHIN } from '@postern/testkit'
import { isFirefox } from '@postern/testkit/browser'
import { firefoxLaunchOptions } from '@postern/testkit/firefox'
import { type BrowserContext, firefox } from 'playwright-core'
import { expect } from 'vitest'
import { originOf, test, testInChromium } from './walk-test.ts'

const OLD = 'Postern does not work in this browser'
const REFUSED = 'Your browser does not let Postern store data'

type Fault = { what: string; title: string; script: string }

const pageFaults: Fault[] = [
  {
    what: 'has no locks',
    title: OLD,
    script: `Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })`,
  },
  { what: 'has no menus', title: OLD, script: 'delete HTMLElement.prototype.popover' },
  {
    what: 'blocks the data of the site',
    title: REFUSED,
    script: `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError') } })`,
  },
  {
    what: 'opens no channel between pages',
    title: REFUSED,
    script: `BroadcastChannel = class { constructor() { throw new DOMException('', 'SecurityError') } }`,
  },
  {
    what: 'refuses every lock',
    title: REFUSED,
    // The empty page before it has no locks.
    script: `globalThis.LockManager && (LockManager.prototype.request = () => Promise.reject(new DOMException('', 'SecurityError')))`,
  },
]

test.for(pageFaults)('[APP-7.16] a browser that $what says so', async ({ title, script }, { world, openApp }) => {
  const { person: alice, faults } = await openApp()
  faults.expected = /the lock/
  await alice.context.addInitScript(script)
  await alice.page.goto(originOf(world))
  await alice.page.getByRole('heading', { name: title }).waitFor()
})

const workerFaults: Fault[] = [
  { what: 'has no WebAssembly', title: OLD, script: 'delete globalThis.WebAssembly' },
  {
    what: 'compiles no WebAssembly',
    title: OLD,
    script: `WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError('') } }`,
  },
  {
    what: 'has no synchronous files',
    title: OLD,
    script: 'delete FileSystemFileHandle.prototype.createSyncAccessHandle',
  },
  {
    what: 'refuses private files',
    title: REFUSED,
    script: `StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException('', 'SecurityError'))`,
  },
  {
    what: 'refuses to open private files',
    title: REFUSED,
    script: `FileSystemFileHandle.prototype.createSyncAccessHandle = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
  },
  {
    what: 'refuses the store of keys',
    title: REFUSED,
    script: `IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError') }`,
  },
  {
    what: 'stores no keys',
    title: OLD,
    script: `IDBObjectStore.prototype.add = () => { throw new DOMException('', 'DataCloneError') }`,
  },
]

/** Before the core's own script, in the worker: no test can reach into it earlier. */
async function spoilWorker(context: BrowserContext, script: string): Promise<void> {
  await context.route('**/assets/main-*.js', async route => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${script};\n${await response.text()}` })
  })
}

testInChromium.for(workerFaults)(
  '[APP-7.16] a browser that $what says so',
  async ({ title, script }, { world, openApp }) => {
    const { person: alice, faults } = await openApp()
    faults.expected = /the account could not be opened|sqlite3 module/
    await spoilWorker(alice.context, script)
    await alice.page.goto(originOf(world))
    await alice.page.getByRole('heading', { name: title }).waitFor()
    // The service worker fetches the script as well.
    await alice.context.unrouteAll({ behavior: 'wait' })
  },
)

testInChromium.for([
  ['en-GB', OLD],
  ['ru-RU', 'Этот браузер не подходит для Postern'],
] as const)(
  '[APP-7.17] a browser that does not understand the script says so, in %s',
  async ([locale, title], { world, openApp }) => {
    const { person: alice, faults } = await openApp({ locale })
    faults.expected = /^thrown/
    await alice.context.route('**/assets/index-*.js', async route => {
      await route.fulfill({ contentType: 'text/javascript', body: 'export const word = 1 ?-? 2' })
    })
    await alice.page.goto(`${originOf(world)}/#i/kept/for/another`)
    await alice.page.getByRole('heading', { name: title }).waitFor()
    expect(new URL(alice.page.url()).hash).toBe('#i/kept/for/another')
  },
)

testInChromium('[APP-7.17] a browser that knows no modules says so', async ({ world, openApp }) => {
  const { person: alice } = await openApp()
  await alice.context.addInitScript('delete HTMLScriptElement.prototype.noModule')
  // Such a browser does not fetch it.
  await alice.context.route('**/assets/index-*.js', route =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  )
  await alice.page.goto(originOf(world))
  await alice.page.getByRole('heading', { name: OLD }).waitFor()
})

testInChromium('[APP-7.17] an app that is not loaded says so', async ({ world, openApp }) => {
  const { person: alice, faults } = await openApp()
  faults.expected = /./
  await alice.context.route('**/assets/index-*.js', route => route.abort())
  await alice.page.goto(originOf(world))
  await alice.page.getByRole('heading', { name: 'Postern could not be loaded' }).waitFor()
})

testInChromium('[APP-7.17] a browser without scripts says so', async ({ world, openApp }) => {
  const { person: alice } = await openApp({ javaScriptEnabled: false })
  await alice.page.goto(originOf(world))
  await alice.page.getByRole('heading', { name: 'Postern needs JavaScript' }).waitFor()
})

test('[APP-7.17] the sentence for old browsers is in their language', async () => {
  const script = readFileSync(join(await builtApp(), 'old-browser.js'), 'utf8').replaceAll(/'[^']*'|\/\/.*/g, '')
  expect(script).not.toMatch(/\b(const|let|class|async|await|import)\b|=>|`|\.\.\.|\?\.|\?\?/)
})

/** Real ones, beside those that a test plays. */
const settings = [
  { what: 'a private window', prefs: { 'browser.privatebrowsing.autostart': true } },
  { what: 'blocked data of sites', prefs: { 'network.cookie.cookieBehavior': 2 } },
]

test.runIf(isFirefox()).for(settings)('[APP-7.16] Firefox with $what says so', async ({ prefs }, { world }) => {
  const { firefoxUserPrefs, ...options } = firefoxLaunchOptions()
  await using browser = await firefox.launch({ ...options, firefoxUserPrefs: { ...firefoxUserPrefs, ...prefs } })
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  page.setDefaultTimeout(WITHIN.timeoutMs)
  await page.goto(originOf(world))
  await page.getByRole('heading', { name: REFUSED }).waitFor()
})
