// The home of an account: the relay where it has registered, wherever that relay moves.
import { join } from 'node:path'
import type { Client } from '@postern/core'
import { openNodeClient } from '@postern/core/node'
import { isCoded } from '@postern/protocol'
import { HostileRelay, ManualClock, passTime, WITHIN, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { coreOf } from './hostile/modified-client.ts'

const NOWHERE = 'http://127.0.0.1:9'

const opened: Client[] = []

async function close(client: Client): Promise<void> {
  opened.splice(opened.indexOf(client), 1)
  await client.stop()
}

const relayOf = (client: Client) => new URL(client.identity.me().inviteUrl).origin

const test = base
  /** With the given address, or with none. */
  .extend('open', ({ world }) => async (name: string, relayUrl?: string, clock?: ManualClock): Promise<Client> => {
    const client = await openNodeClient({
      directory: join(world.directory, name),
      acceptRequests: 'all',
      relayUrl,
      ...(clock && { clock }),
      firstStart: () => ({ relayUrl: relayUrl ?? '', name, bot: true }),
    })
    opened.push(client)
    return client
  })

test.afterEach(async () => {
  for (const client of opened.splice(0)) await client.stop()
})

test('[CORE-10.1] an address at which nothing was registered is not kept', async ({ world, open }) => {
  const first = await open('carol', NOWHERE)
  first.start()
  await close(first)
  const second = await open('carol', world.relayUrl)
  second.start()
  await second.whenOnline({ timeoutMs: 5000 })
  expect([second.account, relayOf(second)]).toEqual([first.account, world.relayUrl])
  await close(second)
  // From now on it is the account's home, without being named.
  const third = await open('carol')
  third.start()
  await third.whenOnline(WITHIN)
})

test('[CORE-10.2] a relay that has moved is followed: nothing is lost, and nothing comes twice', async ({
  world,
  alice,
  bob,
  open,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  await world.close(bob)
  await alice.say(bob, 'waits')
  await world.close(alice)
  const before = world.relayUrl
  await world.moveRelay()
  bob = await world.person('bob')
  alice = await world.person('alice')
  await bob.hears('waits')
  await bob.say(alice, 'after')
  await alice.hears('after')
  expect(bob.texts(alice)).toEqual(['before', 'waits', 'after'])
  expect(alice.texts(bob)).toEqual(['before', 'waits', 'after'])
  expect(relayOf(bob.client)).toBe(world.relayUrl)
  expect(world.relayUrl).not.toBe(before)
  await world.close(bob)
  const again = await open('bob')
  expect(relayOf(again)).toBe(world.relayUrl)
  again.start()
  await again.whenOnline(WITHIN)
})

test('[CORE-10.2] a relay that does not know the account is not followed, and registers nobody', async ({
  world,
  otherWorld,
  bob,
  open,
}) => {
  await world.close(bob)
  const wrong = await open('bob', otherWorld.relayUrl)
  await expect(wrong.followRelay(WITHIN)).rejects.toSatisfy(
    (error: unknown) =>
      isCoded(error, 'relay-not-home') &&
      error.message.includes(otherWorld.relayUrl) &&
      error.message.includes(world.relayUrl),
  )
  await close(wrong)
  const carol = await otherWorld.person('carol')
  await expect(carol.say(bob, 'are you here?')).rejects.toSatisfy((error: unknown) =>
    isCoded(error, 'account-not-found', 'key-package-missing'),
  )
  const back = await open('bob')
  back.start()
  await back.whenOnline(WITHIN)
  expect(relayOf(back)).toBe(world.relayUrl)
})

test('[CORE-10.2] while nobody answers there it is tried on, and the account stays where it is registered', async ({
  world,
  bob,
  open,
}) => {
  await world.close(bob)
  const clock = new ManualClock(Date.now())
  const moving = await open('bob', NOWHERE, clock)
  expect(await passTime(clock, moving.followRelay({ timeoutMs: 10_000 }))).toBe('silent')
  expect(relayOf(moving)).toBe(world.relayUrl)
  await close(moving)
  const back = await open('bob', world.relayUrl)
  expect(await back.followRelay(WITHIN)).toBe('found')
  back.start()
  await back.whenOnline(WITHIN)
})

test('[CORE-10.2] where the log is another one, it is read from where the account had read to there', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  // Positions of a log that was longer than the one to which it comes.
  await coreOf(bob).store.write(database => database.run('UPDATE mailbox SET cursor = 1000000'))
  // The relay to which it comes does not know them.
  bob.wire.cut()
  await world.close(bob)
  await alice.say(bob, 'waits')
  await world.moveRelay()
  bob = await world.person('bob')
  await bob.hears('waits')
  expect(bob.texts(alice)).toEqual(['before', 'waits'])
})

test('[CORE-10.2] a relay that claims that nothing was read makes nothing come twice', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  await world.close(bob)
  await alice.say(bob, 'waits')
  await world.moveRelay()
  const wire = new Wire()
  new HostileRelay(wire).changeAnswer('authenticate', answer => ({ ...answer, cursor: 0 }))
  bob = await world.person('bob', { wire })
  await bob.hears('waits')
  expect(bob.texts(alice)).toEqual(['before', 'waits'])
  const messages = bob.client.journal.read(0, 1000).filter(({ json }) => json.startsWith('{"type":"message"'))
  expect(messages).toHaveLength(2)
})
