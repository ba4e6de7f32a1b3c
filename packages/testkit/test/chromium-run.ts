// Once per test run: an address that hands out the browser's address. Without a request no browser is started.
import { createServer } from 'node:http'
import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'

async function launch(): Promise<BrowserServer> {
  // Only now: a run without a browser must not load its driver.
  const [{ chromium }, { launchOptions }] = await Promise.all([
    import('playwright-core'),
    import('../src/chromium-launch.ts'),
  ])
  return await chromium.launchServer(launchOptions())
}

let launching: Promise<BrowserServer> | undefined
const door = createServer((_, answer) => {
  launching ??= launch()
  launching.then(
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
  await (await launching?.catch(() => undefined))?.close()
}
