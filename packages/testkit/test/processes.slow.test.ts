// Processes that tests kill: none of them outlives its test.
import { join } from 'node:path'
import { test } from '@postern/testkit/fixtures'
import { freePort } from '@postern/testkit/free-port'
import { RelayProcess } from '@postern/testkit/processes'
import { expect } from 'vitest'

test('[TESTKIT-3.1] a process that a test has ended is not started by a restart that was under way', async ({
  world,
}) => {
  const relay = new RelayProcess({ directory: join(world.directory, 'own-relay'), port: await freePort() })
  relay.start()
  await relay.listening()
  const restart = async () => {
    await relay.kill()
    relay.start()
  }
  await Promise.all([restart(), relay.end()])
  expect(relay.pid).toBeUndefined()
})
