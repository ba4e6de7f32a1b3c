// The core's parts for a browser keep the same contracts as those for Node, in a real browser.
import { World } from '@postern/testkit'
import { testContracts } from '@postern/testkit/browser'
import { afterAll } from 'vitest'
import { ContractServers } from './surroundings.ts'

await testContracts(import.meta.resolve('./platform-browser.worker.ts'), async worker => {
  const world = await World.start({ relayHosts: [worker.pages.host] })
  const servers = await ContractServers.start(world)
  worker.pages.forwardTo(world.relayUrl)
  afterAll(async () => {
    servers.stop()
    await world.stop()
  })
  await worker.call('surround', servers.surroundings)
})
