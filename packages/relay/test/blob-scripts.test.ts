// Browsers must not run bytes that an account has uploaded to the relay.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectChromium, PageServer } from '@postern/testkit/browser'
import { expect, onTestFinished, test } from 'vitest'
import { placeOf, testS3 } from './blob-places.ts'
import { begin, put } from './put-blob.ts'
import { arrive, temporaryDirectory, testRelay } from './relay-fixture.ts'

const RUNS = "globalThis.postMessage?.('ran', undefined); globalThis.ran = true\n"

/** A page of the relay's own origin that tries to run the script named after `#`. */
const PROBE = `
const policy = trustedTypes.createPolicy('postern', { createScriptURL: url => url })
const started = worker => new Promise(resolve => {
  worker.onmessage = () => resolve('ran')
  worker.onerror = () => resolve('refused')
})
const tries = {
  import: url => import(url).then(() => 'ran', () => 'refused'),
  worker: async url => started(new Worker(policy.createScriptURL(url))),
  module: async url => started(new Worker(policy.createScriptURL(url), { type: 'module' })),
  script: url => new Promise(resolve => {
    const element = document.createElement('script')
    element.onload = () => resolve('ran')
    element.onerror = () => resolve('refused')
    element.src = policy.createScriptURL(url)
    document.head.append(element)
  }),
  service: url => navigator.serviceWorker.register(policy.createScriptURL(url), { scope: '/none/' }).then(() => 'ran', () => 'refused'),
}
globalThis.tryAll = async url => {
  const found = {}
  for (const [name, attempt] of Object.entries(tries)) found[name] = await attempt(url).catch(() => 'refused')
  return found
}
`

function appFolder(): string {
  const app = join(temporaryDirectory(), 'app')
  mkdirSync(join(app, 'assets'), { recursive: true })
  writeFileSync(
    join(app, 'index.html'),
    '<!doctype html><title>app</title><script type="module" src="/assets/probe.js"></script>',
  )
  writeFileSync(join(app, 'assets', 'probe.js'), PROBE)
  writeFileSync(join(app, 'assets', 'own.js'), RUNS)
  return app
}

async function relayWithScript(options: Parameters<typeof testRelay>[0] = {}) {
  const relay = await testRelay({ app: appFolder(), ...options })
  const begun = await begin(relay, await arrive(relay), RUNS.length)
  await put(begun, Buffer.from(RUNS), 0)
  return { relay, begun }
}

async function openPage() {
  const browser = await connectChromium()
  onTestFinished(() => browser.close())
  const context = await browser.newContext()
  return await context.newPage()
}

const closed = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'content-disposition': 'attachment',
}

test('[RELAY-4.3] in Chromium the page runs its own files, and no blob as a script or a worker', async () => {
  const { relay, begun } = await relayWithScript()
  const page = await openPage()
  await page.goto(relay.url)
  await page.waitForFunction('globalThis.tryAll !== undefined')
  const all = (url: string) => page.evaluate(`tryAll(${JSON.stringify(url)})`)
  expect(await all('/assets/own.js')).toMatchObject({ import: 'ran', worker: 'ran', module: 'ran', script: 'ran' })
  const none = { import: 'refused', worker: 'refused', module: 'refused', script: 'refused', service: 'refused' }
  expect(await all(begun.url)).toEqual(none)
})

test('[RELAY-3.18] a page elsewhere, without a policy, runs no blob either', async () => {
  const { begun } = await relayWithScript()
  const body = `<!doctype html><title>elsewhere</title><script src="${begun.url}" onload="document.title='ran'" onerror="document.title='refused'"></script>`
  const pages = await PageServer.start(new Map([['/', { type: 'text/html', body }]]))
  onTestFinished(() => pages.stop())
  const page = await openPage()
  await page.goto(pages.origin)
  await expect.poll(() => page.title()).toBe('refused')
  expect(await page.evaluate('globalThis.ran')).toBeUndefined()
})

test('[RELAY-3.18] every answer but a file of the app is closed to browsers, wherever blobs are', async () => {
  const server = await testS3()
  for (const place of [undefined, placeOf(server)]) {
    const { relay, begun } = await relayWithScript(place ? { blobs: place } : {})
    const answers = [
      await fetch(begun.url),
      await fetch(begun.url, { headers: { range: 'bytes=0-1' } }),
      await fetch(begun.url, { headers: { range: 'bytes=999-' } }),
      await fetch(begun.url, { method: 'HEAD' }),
      await fetch(begun.url, { method: 'POST' }),
      await fetch(begun.url, { method: 'PUT' }),
      await fetch(begun.url, { method: 'OPTIONS' }),
      await fetch(`${relay.url}/blobs/${'a'.repeat(32)}`),
      await fetch(`${relay.url}/profiles/${'a'.repeat(32)}`),
      await fetch(`${relay.url}/nothing`),
      await fetch(`${relay.url}/healthz`),
      await fetch(`${relay.url}/readyz`),
    ]
    for (const { status, headers } of answers)
      expect([status, Object.fromEntries(headers)]).toEqual([status, expect.objectContaining(closed)])
    const page = await fetch(relay.url)
    expect(page.headers.get('content-disposition')).toBeNull()
  }
})
