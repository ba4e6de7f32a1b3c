// Pushes of relays on PostgreSQL, where a mailbox is filled, and a device noted as away, a moment later.
import { pushLimits } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DatabaseSession } from './database-session.ts'
import { chatWithAway, type PushWorld, passing, pushesOf, pushWorld, say } from './push-fixture.ts'
import { arrive, chatOf } from './relay-fixture.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Pushes of relays on it are not tried.`)

type SharedWorld = PushWorld & { session: DatabaseSession }

async function sharedWorld(prepare?: (session: DatabaseSession) => Promise<unknown>): Promise<SharedWorld> {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  const session = await DatabaseSession.open(database)
  await prepare?.(session)
  return { ...(await pushWorld({ database })), session }
}

/** Nobody but the session fills mailboxes until it commits. */
async function holdMailboxes(session: DatabaseSession): Promise<void> {
  await session.rows('BEGIN')
  await session.rows('SELECT pg_advisory_xact_lock(3, 1)')
}

async function fillMailboxes(session: DatabaseSession): Promise<void> {
  await session.rows("SELECT fan_out_turn(400, 'test')")
  await session.letGo()
}

describe.skipIf(isMissing)('no push waits for the scan of the next minute', () => {
  test('[RELAY-10.27] of a message whose mailbox is filled between the queries of a look', async () => {
    const world = await sharedWorld()
    const { session, clock } = world
    const { alice, group, browser } = await chatWithAway(world)
    await passing(world, holdMailboxes(session))
    await say(alice, group)
    await expect.poll(() => clock.isAwaited(pushLimits.lookAgainMs)).toBe(true)
    await session.rows('LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE')
    clock.advance(pushLimits.lookAgainMs)
    // The look, and the relay's own turn of filling mailboxes.
    await session.untilWaiting(2)
    await fillMailboxes(session)
    expect(await pushesOf(world, browser, 1)).toMatchObject([{ group, count: 1 }])
  })

  test('[RELAY-10.27] a relay that stops leaves no timer of a look that was to be repeated', async () => {
    const world = await sharedWorld()
    const { session, clock, relay } = world
    const { alice, group } = await chatWithAway(world)
    await passing(world, holdMailboxes(session))
    await say(alice, group)
    await expect.poll(() => clock.isAwaited(pushLimits.lookAgainMs)).toBe(true)
    const stopped = relay.stop()
    await session.letGo()
    await stopped
    expect(clock.isAwaited(pushLimits.lookAgainMs)).toBe(false)
  })

  test('[RELAY-10.27] to a device whose leaving is stored late', async () => {
    const world = await sharedWorld()
    const { session, clock } = world
    const { alice, group, browser: carols } = await chatWithAway(world)
    const bob = await arrive(world.relay)
    const chat = await chatOf(alice, bob)
    const browser = world.service.subscribe()
    await bob.call('mailboxEnd', {})
    await bob.call('setPush', browser.subscription)
    await say(alice, chat)
    await session.rows('BEGIN')
    await session.rows('SELECT FROM push_subscription WHERE endpoint = $1 FOR UPDATE', [browser.endpoint])
    bob.socket.terminate()
    await session.untilWaiting(1)
    if (clock.isAwaited(pushLimits.awayAfterMs)) clock.advance(pushLimits.awayAfterMs)
    await say(alice, group)
    // Her push follows all looks that were due before.
    await pushesOf(world, carols, 1)
    await session.letGo()
    expect(await pushesOf(world, browser, 1)).toMatchObject([{ group: chat, count: 1 }])
  })

  test('[RELAY-10.27] of a message that waits for its mailbox when another relay begins to push', async () => {
    const world = await sharedWorld(session => session.rows('SELECT pg_advisory_lock(10, 1)'))
    const { session, clock, service } = world
    const { alice, group, browser: carols } = await chatWithAway(world)
    const bobs = await chatWithAway(world)
    await say(alice, group)
    await alice.call('mailboxEnd', {})
    await holdMailboxes(session)
    await say(bobs.alice, bobs.group)
    await session.rows('SELECT pg_advisory_unlock(10, 1)')
    await expect.poll(() => clock.isAwaited(pushLimits.leadEveryMs)).toBe(true)
    clock.advance(pushLimits.leadEveryMs)
    // The first scan has passed when she has her push, and has found nothing for Bob.
    await service.receivedBy(carols, 1)
    await fillMailboxes(session)
    expect(await pushesOf(world, bobs.browser, 1)).toMatchObject([{ group: bobs.group, count: 1 }])
  })
})
