// A browser that is killed in the middle of a walk.

import { LivingBrowser } from '@postern/testkit/browser'
import { launchOptions } from '@postern/testkit/chromium'
import { type BrowserServer, chromium } from 'playwright-core'
import { expect } from 'vitest'
import { originOf, test as walk } from './walk-test.ts'

const test = walk
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('servers', { scope: 'file' }, ({}, { onCleanup }) => {
    const servers: BrowserServer[] = []
    onCleanup(async () => void (await Promise.all(servers.map(server => server.close()))))
    return servers
  })
  // The other files share theirs.
  .override('browser', { scope: 'file' }, ({ servers }) => {
    return new LivingBrowser(async () => {
      const server = await chromium.launchServer(launchOptions('shell'))
      servers.push(server)
      return await chromium.connect(server.wsEndpoint())
    })
  })

test('[APP-14.50] a walk whose browser ends is repeated once in another one', async ({ world, servers, alice }) => {
  await alice.person.page.goto(originOf(world))
  if (servers.length === 1) await servers[0]?.kill()
  await alice.person.page.getByRole('textbox', { name: 'Your name' }).waitFor()
  expect(servers).toHaveLength(2)
})

test('[APP-14.50] the walks after it have that one', async ({ world, servers, alice }) => {
  await alice.person.begins(originOf(world), 'Alice')
  expect(servers).toHaveLength(2)
})
