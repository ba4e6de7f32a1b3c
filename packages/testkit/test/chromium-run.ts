// Once per test run: an address that hands out the browsers' addresses. Without a request no browser is started.
import { createServer } from 'node:http'
import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import type { ChromiumKind } from '../src/chromium-launch.ts'

async function launch(kind: ChromiumKind): Promise<BrowserServer> {
  // Only now: a run without a browser must not load its driver.
  const [{ chromium }, { launchOptions }] = await Promise.all([
    import('playwright-core'),
    import('../src/chromium-launch.ts'),
  ])
  const server = await chromium.launchServer(launchOptions(kind))
  // One that has ended is started again for the next test.
  server.on('close', () => launching.delete(kind))
  return server
}

const launching = new Map<ChromiumKind, Promise<BrowserServer>>()

function launchOnce(kind: ChromiumKind): Promise<BrowserServer> {
  const known = launching.get(kind) ?? launch(kind)
  launching.set(kind, known)
  return known
}

const door = createServer(({ url }, answer) => {
  launchOnce(url === '/whole' ? 'whole' : 'shell').then(
    browser => answer.end(browser.wsEndpoint()),
    (error: unknown) => answer.writeHead(500).end(error instanceof Error ? error.message : String(error)),
  )
})

/** The variable with the address of the first project in a run, which is for all of them. */
const DOOR = 'POSTERN_TEST_CHROMIUM'

export async function setup(project: TestProject): Promise<void> {
  process.env[DOOR] ??= await openDoor()
  project.provide('chromiumDoor', process.env[DOOR])
}

async function openDoor(): Promise<string> {
  await new Promise<void>(resolve => door.listen(0, '127.0.0.1', resolve))
  const address = door.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
}

export async function teardown(): Promise<void> {
  door.close()
  door.closeAllConnections()
  for (const launched of launching.values()) await (await launched.catch(() => undefined))?.close()
}
