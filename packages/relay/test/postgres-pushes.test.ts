// Pushes of relays on PostgreSQL, where a mailbox is filled, and a device noted as away, a moment later.
import { pushLimits } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Postgres } from '../src/store/postgres/connection/database.ts'
import { type Queries, queriesOn } from '../src/store/postgres/connection/queries.ts'
import { setSession } from '../src/store/postgres/connection/session.ts'
import { PgPushRows } from '../src/store/postgres/push/push-rows.ts'
import { DatabaseSession } from './database-session.ts'
import { chatWithAway, type PushWorld, passing, pushesOf, pushWorld, say } from './push-fixture.ts'
import { arrive, chatOf } from './relay-fixture.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Pushes of relays on it are not tried.`)

type SharedWorld = PushWorld & { database: string; session: DatabaseSession }

async function sharedWorld(prepare?: (session: DatabaseSession) => Promise<unknown>): Promise<SharedWorld> {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  const session = await DatabaseSession.open(database)
  await prepare?.(session)
  return { ...(await pushWorld({ database })), database, session }
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

describe.skipIf(isMissing)('a relay that has lost the lead', () => {
  test('[RELAY-10.23] leads again when the one that led has gone, and pushes what came meanwhile', async () => {
    const world = await sharedWorld()
    const { session, clock } = world
    const { alice, group, browser } = await chatWithAway(world)
    await say(alice, group)
    await pushesOf(world, browser, 1)
    // In the place of another relay: it is queued for the lock before the first one loses its connection.
    const watch = await DatabaseSession.open(world.database)
    const leads = session.rows('SELECT pg_advisory_lock(10, 1)')
    await watch.untilWaiting(1)
    await watch.rows(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 10
      AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
    await leads
    const bobs = await chatWithAway(world)
    await say(bobs.alice, bobs.group)
    await expect.poll(() => clock.isAwaited(pushLimits.leadEveryMs)).toBe(true)
    await session.rows('SELECT pg_advisory_unlock(10, 1)')
    expect(await pushesOf(world, bobs.browser, 1)).toMatchObject([{ group: bobs.group, count: 1 }])
  })
})

/** Ends with the test. */
async function relayClient(): Promise<pg.Client> {
  const database = await preparedDatabase()
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await forgetDatabase(database)
  })
  await setSession(client)
  return client
}

/** The store of pushes, whose statements stay prepared on this connection. */
async function leaderOn(client: pg.Client): Promise<PgPushRows> {
  const line = {
    connected: async () => client,
    use: (work: (queries: Queries) => Promise<unknown>) => work(queriesOn(client)),
  }
  const rows = new PgPushRows({ line: () => line } as unknown as Postgres, { turns: {}, hints: {} } as never)
  await rows.lead()
  return rows
}

async function lookAtAll(rows: PgPushRows): Promise<void> {
  await rows.look({ kind: 'group', group: 1, after: '' })
  await rows.look({ kind: 'devices', devices: ['d1'], after: '' })
  await rows.look({ kind: 'all', after: '' })
}

const ACCOUNTS = 2_000

/** A group of a thousand and a few of two, and a device of each account, which is away. */
async function fill(client: pg.Client): Promise<void> {
  const accounts = `generate_series(1, ${ACCOUNTS}) n`
  await client.query(`
    INSERT INTO account (num, id, account_key, created_ms) SELECT n, 'a' || n, '', 0 FROM ${accounts};
    INSERT INTO progress (account, cursor, mark) SELECT n, 0, 0 FROM ${accounts};
    INSERT INTO device (key, generation) SELECT 'd' || n, 1 FROM ${accounts};
    INSERT INTO member (chat_group, account, since) SELECT greatest(1, (n - 998) / 2), n, 0 FROM ${accounts};
    INSERT INTO push_subscription (device, account, serial, endpoint, p256dh, auth, muted, pushed, set_ms, away)
      SELECT 'd' || n, n, 0, '', '', '', '', 0, 0, 1 FROM ${accounts}`)
}

type Plan = { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] }

/** The pages of tables and indexes that the server reads for the prepared look that contains these words. */
async function blocksOf(client: pg.Client, words: string, values: string): Promise<number> {
  const text =
    "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%isHere%' AND position($1 in statement) > 0"
  const [prepared] = (await client.query<{ name: string }>(text, [words])).rows
  const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${prepared?.name} (${values})`
  const [row] = (await client.query<Plan>(explain)).rows
  const plan = row?.['QUERY PLAN'][0].Plan
  return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
}

const TABLES = ['empty', 'filled'] as const

/** A connection whose looks are planned when the tables are so, and which has filled ones now. */
async function plannedLooks(tables: (typeof TABLES)[number]): Promise<pg.Client> {
  const client = await relayClient()
  if (tables === 'filled') await fill(client)
  await client.query('ANALYZE')
  await lookAtAll(await leaderOn(client))
  if (tables === 'empty') await fill(client)
  return client
}

describe.skipIf(isMissing)('a look reads what belongs to its page', () => {
  // Some twelve for each subscription: a level or two of four indexes, and the rows.
  const most = pushLimits.devicesPerLook * 20

  test.each(TABLES)('[RELAY-10.31] of a large group, by a plan made when the tables were %s', async tables => {
    const client = await plannedLooks(tables)
    expect(await blocksOf(client, 'FROM member', `1, 0, ${pushLimits.membersPerLook}`)).toBeLessThan(most)
  })

  test.each(TABLES)('[RELAY-10.34] also by a plan made when the tables were %s', async tables => {
    const client = await plannedLooks(tables)
    expect(await blocksOf(client, 'FROM member', `1, 0, ${pushLimits.membersPerLook}`)).toBeLessThan(most)
    expect(await blocksOf(client, 'ANY ($1', "'{d1,d50,d1500}'")).toBeLessThan(100)
    expect(await blocksOf(client, 'LIMIT $2', `'', ${pushLimits.devicesPerLook}`)).toBeLessThan(most)
  })
})
