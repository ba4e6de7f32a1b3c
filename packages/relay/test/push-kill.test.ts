// A relay that is killed between an entry and its push, and relays on one database of which one dies.
import { systemClock } from '@postern/protocol'
import { findPostgres } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DatabaseSession } from './database-session.ts'
import { pushService, say } from './push-fixture.ts'
import { arrive, chatOf, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { RelayProcess } from './relay-process.ts'

const isMissing = findPostgres() === undefined

async function relayProcess(origin: string, database?: string): Promise<RelayProcess> {
  const relay = new RelayProcess(temporaryDirectory(), { database, args: ['--push-hosts', origin] })
  await relay.start()
  onTestFinished(() => relay.kill())
  return relay
}

test('[RELAY-10.21] a kill between the entry and the push: it is sent once or twice, and never skipped', async () => {
  const service = await pushService()
  const relay = await relayProcess(service.origin)
  const [alice, bob] = [await arrive(relay as never), await arrive(relay as never)]
  const group = await chatOf(alice, bob)
  const browser = service.subscribe()
  await bob.call('mailboxEnd', {})
  await bob.call('setPush', browser.subscription)
  // The answer never comes: the relay dies while it waits for it.
  service.reply = () => 'hang'
  const said = await say(alice, group)
  bob.socket.terminate()
  await service.receivedBy(browser, 1)
  await relay.kill()
  service.reply = () => ({ status: 201 })
  await relay.start()
  const pushes = (await service.receivedBy(browser, 2)).map(push => browser.open(push))
  expect(pushes.map(({ message }) => message)).toEqual([said.accepted?.message, said.accepted?.message])
})

describe.skipIf(isMissing)('relays on one database', () => {
  async function sharedDatabase(): Promise<string> {
    const database = await preparedDatabase()
    onTestFinished(() => forgetDatabase(database))
    return database
  }

  test('[RELAY-10.22] one of them pushes, whichever the message came to; they have one key', async () => {
    const service = await pushService()
    const database = await sharedDatabase()
    const push = { hosts: [service.origin] }
    const relays = [
      await testRelay({ database, push, clock: systemClock }),
      await testRelay({ database, push, clock: systemClock }),
    ] as const
    const [alice, bob] = [await arrive(relays[0]), await arrive(relays[1])]
    expect(await alice.call('pushKey', {})).toEqual(await bob.call('pushKey', {}))
    const group = await chatOf(alice, bob)
    await bob.call('mailboxEnd', {})
    const browser = service.subscribe()
    await bob.call('setPush', browser.subscription)
    // While Bob is connected to the other relay, nobody pushes; the message after that is the first push.
    await say(alice, group)
    const carol = await arrive(relays[0])
    const chat = await chatOf(carol, alice)
    const carols = service.subscribe()
    await carol.call('mailboxEnd', {})
    await carol.call('setPush', carols.subscription)
    carol.socket.terminate()
    await say(alice, chat)
    await service.receivedBy(carols, 1)
    expect(service.received).toHaveLength(1)
    bob.socket.terminate()
    await service.receivedBy(browser, 1)
    expect(service.received).toHaveLength(2)
  })

  test('[RELAY-10.22] two that need the key for the first time at the same moment have one', async () => {
    const service = await pushService()
    const database = await sharedDatabase()
    const session = await DatabaseSession.open(database)
    const push = { hosts: [service.origin] }
    const [alice, bob] = [
      await arrive(await testRelay({ database, push })),
      await arrive(await testRelay({ database, push })),
    ]
    // Both read that there is none before either can write its own.
    await session.rows('BEGIN')
    await session.rows('LOCK TABLE push_key IN SHARE MODE')
    const keys = [alice.call('pushKey', {}), bob.call('pushKey', {})]
    await session.untilWaiting(2)
    await session.letGo()
    const [one, other] = await Promise.all(keys)
    expect(one).toEqual(other)
  })

  test('[RELAY-10.23] the next one does not push again what the one that died has pushed', async () => {
    const service = await pushService()
    const database = await sharedDatabase()
    const session = await DatabaseSession.open(database)
    const pushed = () => session.rows('SELECT pushed FROM push_subscription')
    const first = await relayProcess(service.origin, database)
    const [alice, bob] = [await arrive(first as never), await arrive(first as never)]
    const group = await chatOf(alice, bob)
    await bob.call('mailboxEnd', {})
    const browser = service.subscribe()
    await bob.call('setPush', browser.subscription)
    const before = await pushed()
    bob.socket.terminate()
    await say(alice, group)
    await service.receivedBy(browser, 1)
    await expect.poll(pushed).not.toEqual(before)
    await first.kill()
    const next = await testRelay({ database, push: { hosts: [service.origin] }, clock: systemClock })
    const said = await say(await arrive(next, alice.person), group)
    const [, second] = await service.receivedBy(browser, 2)
    expect(browser.open(second as never)).toMatchObject({ message: said.accepted?.message, count: 1 })
  })

  test('[RELAY-10.23] when the one that pushes dies, another one goes on where it was', async () => {
    const service = await pushService()
    const database = await sharedDatabase()
    const first = await relayProcess(service.origin, database)
    const [alice, bob] = [await arrive(first as never), await arrive(first as never)]
    const group = await chatOf(alice, bob)
    await bob.call('mailboxEnd', {})
    const browser = service.subscribe()
    await bob.call('setPush', browser.subscription)
    await testRelay({ database, push: { hosts: [service.origin] }, clock: systemClock })
    service.reply = () => 'hang'
    const said = await say(alice, group)
    bob.socket.terminate()
    await service.receivedBy(browser, 1)
    service.reply = () => ({ status: 201 })
    await first.kill()
    const [, second] = await service.receivedBy(browser, 2)
    expect(browser.open(second as never)).toMatchObject({ message: said.accepted?.message, count: 1 })
  })
})
