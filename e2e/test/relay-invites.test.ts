// A relay that accepts new accounts by invite: a client with a code is admitted, one without gets an error, and can try
// again later.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { openNodeClient } from '@postern/core/node'
import { privateChatId } from '@postern/protocol'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { databaseOptions } from '@postern/testkit/test-databases'
import { expect } from 'vitest'
import { RecordedLog } from './recorded-log.ts'

const LAUNCHER = join(import.meta.dirname, '../../packages/cli/bin/postern.mjs')

const test = base
  .extend('worldOptions', { scope: 'file' }, () => ({ relayRegistration: 'invite' as const }))
  .extend('database', ({ world }) => databaseOptions(join(world.directory, 'relay')))
  .extend('invite', ({ world, database }) => (): string => {
    const args = [LAUNCHER, 'relay', 'invite', '--data', join(world.directory, 'relay'), ...database]
    return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout.trim()
  })

test('[RELAY-2.22] people and bots come in by their codes, and need them once', async ({ world, invite }) => {
  const alice = await world.person('alice', { relayInvite: invite() })
  const gateway = await world.gateway({ RELAY_INVITE: invite() })
  await gateway.client.whenOnline({ timeoutMs: 60_000 })
  await alice.say(privateChatId(gateway.client.account), 'hello')
  await world.close(alice)
  const again = await world.person('alice', { directory: alice.directory })
  await again.say(privateChatId(gateway.client.account), 'hello again')
})

test('[RELAY-2.22] a code that is wrong is said so, and the right one at a later start is enough', async ({
  world,
  invite,
}) => {
  const log = new RecordedLog()
  const directory = join(world.directory, 'bob')
  const first = await openNodeClient({
    directory,
    log,
    acceptRequests: 'all',
    relayInvite: 'mistyped',
    firstStart: () => ({ relayUrl: world.relayUrl, name: 'bob', bot: false }),
  })
  first.start()
  await expect.poll(() => log.warnings).toContainEqual(expect.stringContaining('The relay does not know this invite'))
  await first.stop()
  const bob = await world.person('bob', { directory, relayInvite: invite() })
  expect(bob.client.isOnline).toBe(true)
})
