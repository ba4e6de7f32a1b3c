// Many devices come with newer certificates at the same time, at relays on one database: in few transactions, and told to
// nobody without need.
import { once } from 'node:events'
import { postgresLimits } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import type { RelayStore, StoreOptions } from '../src/store/relay-store.ts'
import { codeOf, type World } from './contract/world.ts'
import { DatabaseSession } from './database-session.ts'
import { arrive, testRelay } from './relay-fixture.ts'
import { openShared } from './shared-stores.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Certificates that come at once are not tried.`)

describe.skipIf(isMissing)('certificates with a higher serial', () => {
  let database: string
  let session: DatabaseSession
  beforeEach(async () => {
    database = await preparedDatabase()
    onTestFinished(() => forgetDatabase(database))
    session = await DatabaseSession.open(database)
  })

  const claim = (world: World, account: string, serial = 1) =>
    world.store.claimDevice({ device: `${account}.phone`, account: account as never, serial })

  async function serialOf(account: string): Promise<number> {
    const [row] = await session.rows<{ serial: string }>('SELECT serial FROM account WHERE id = $1', [account])
    return Number(row?.serial)
  }

  /** Settles once this number of relays listen. */
  async function untilListening(count: number): Promise<void> {
    const text = `SELECT count(*)::integer AS listening FROM pg_locks WHERE locktype = 'advisory' AND classid = 9
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    for (;;) {
      const [row] = await session.rows<{ listening: number }>(text)
      if (row?.listening === count) return
    }
  }

  test('[RELAY-7.42] that arrive together share transactions', async () => {
    const world = await openShared(database)
    const accounts = await world.crowd(300)
    const highest = await Promise.all(accounts.map(account => world.store.raiseSerial(account, 5)))
    expect(new Set(highest)).toEqual(new Set([5]))
    const [row] = await session.rows<{ count: number }>(
      'SELECT count(DISTINCT xmin::text)::integer AS count FROM account WHERE serial = 5',
    )
    expect(row?.count).toBe(Math.ceil(accounts.length / postgresLimits.batchClaims))
  })

  test('[RELAY-7.42] each has its own answer: the highest that was seen of its account', async () => {
    const world = await openShared(database)
    const [alice, bob] = await world.people()
    await world.store.raiseSerial(bob, 7)
    const nobody = codeOf(world.store.raiseSerial('nobody' as never, 3))
    const highest = [alice, bob, alice].map((account, at) => world.store.raiseSerial(account, 2 + at))
    expect(await Promise.all(highest)).toEqual([2, 7, 4])
    expect(await nobody).toBe('account-not-found')
  })

  test('[RELAY-7.42] one whose devices have something in flight holds up no other, and waits for it', async () => {
    const world = await openShared(database)
    const [alice, ...others] = await world.crowd(20)
    await claim(world, alice)
    // As a batch of the log holds it, at whatever relay.
    await session.rows('SELECT pg_advisory_lock_shared(hashtextextended($1, 1))', [`${alice}.phone`])
    const state = { isRaised: false }
    const waiting = world.store.raiseSerial(alice, 2).finally(() => (state.isRaised = true))
    expect(await Promise.all(others.map(other => world.store.raiseSerial(other, 2)))).toEqual(others.map(() => 2))
    expect(state.isRaised).toBe(false)
    await session.rows('SELECT pg_advisory_unlock_shared(hashtextextended($1, 1))', [`${alice}.phone`])
    expect(await waiting).toBe(2)
  })

  test('[RELAY-7.42] one whose connection is closed before its turn is dropped, and changes nothing', async () => {
    const world = await openShared(database)
    const [alice, bob, carol] = await world.people()
    await session.holdClaims()
    const first = world.store.raiseSerial(alice, 2)
    await session.untilWaiting(1)
    const gone = new AbortController()
    const dropped = codeOf(world.store.raiseSerial(bob, 2, gone.signal))
    const last = world.store.raiseSerial(carol, 2)
    gone.abort()
    expect(await dropped).toBe('unauthenticated')
    await session.letGo()
    expect(await Promise.all([first, last])).toEqual([2, 2])
    expect(await serialOf(bob)).toBe(0)
  })

  test('[RELAY-7.42] are told to relays that may hold a device which they revoke, and to no others', async () => {
    const [here, there] = [await openShared(database), await openShared(database)]
    const [alice, bob, carol] = await here.people()
    await untilListening(2)
    await claim(here, alice)
    await claim(here, bob)
    // Nobody holds a device of carol, and that of bob has shown the same serial.
    for (const [account, serial] of [
      [alice, 2],
      [bob, 1],
      [carol, 2],
    ] as const)
      expect(await there.store.raiseSerial(account, serial)).toBe(serial)
    expect(await session.serialsTold()).toEqual([alice])
    // Its relay is not there any more.
    await claim(here, carol, 2)
    await here.store.close()
    await untilListening(1)
    await there.store.raiseSerial(carol, 3)
    expect(await session.serialsTold()).toEqual([])
    // A relay of an older version, which does not say that it holds one.
    await session.rows("SELECT claim_device($1, 'oldest')", ['somebody'])
    await there.store.raiseSerial(carol, 4)
    expect(await session.serialsTold()).toEqual([carol])
  })
})

describe.skipIf(isMissing)('requests of a connection that is closed', () => {
  /** All connections of a relay that anybody may use are taken by these requests, until the session lets go. */
  async function takeAll(session: DatabaseSession, ask: () => Promise<unknown>): Promise<{ taken: Promise<unknown> }> {
    await session.rows('BEGIN')
    await session.rows('LOCK TABLE profile IN ACCESS EXCLUSIVE MODE')
    const taken = Promise.allSettled(Array.from({ length: postgresLimits.poolConnections }, ask))
    await session.untilWaiting(postgresLimits.poolConnections)
    return { taken }
  }

  async function opened() {
    const database = await preparedDatabase()
    onTestFinished(() => forgetDatabase(database))
    return { database, session: await DatabaseSession.open(database) }
  }

  test('[RELAY-7.43] that wait for a connection to the database are dropped, and change nothing', async () => {
    const { database, session } = await opened()
    const world = await openShared(database)
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const { taken } = await takeAll(session, () => world.store.getProfile(alice))
    const gone = new AbortController()
    const { store, nowMs } = world
    const { signal } = gone
    const published = { oneTime: [new Uint8Array(9)], lastResort: undefined, replace: false, nowMs }
    const given = {
      owner: bob,
      size: 9,
      tokenHash: new Uint8Array(32),
      nowMs,
      lifetimeMs: undefined,
      fetches: undefined,
    }
    const asked = [
      store.getProfile(alice, signal),
      store.putProfile(bob, { version: 1, blob: new Uint8Array(9), nowMs }, signal),
      store.publishKeyPackages(bob, published, signal),
      store.hasKeyPackage(alice, signal),
      store.handOutKeyPackage(alice, nowMs, signal),
      store.getGroup(group, bob, signal),
      store.outcome('a'.repeat(32) as never, { group, by: bob }, signal),
      store.beginBlob('blob' as never, given, signal),
      store.registerAccount('somebody' as never, { accountKey: new Uint8Array(32), nowMs }, signal),
    ].map(codeOf)
    const last = store.getProfile(bob)
    // They are in the queue of the pool now, all of them behind those that hold its connections.
    await new Promise<void>(resolve => setImmediate(resolve))
    gone.abort()
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['unauthenticated']))
    await session.letGo()
    await taken
    expect((await last)?.version).toBe(0)
    for (const rows of ['profile', 'key_package', 'blob', "account WHERE id = 'somebody'"])
      expect(await session.rows(`SELECT 1 FROM ${rows}`)).toEqual([])
  })

  test('[RELAY-7.43] the relay drops them with the connection', async () => {
    const { database, session } = await opened()
    const asked = Promise.withResolvers<AbortSignal | undefined>()
    const openStore = async (options: StoreOptions): Promise<RelayStore> => {
      const store = await openPostgresStore(database, options)
      const putProfile = store.putProfile.bind(store)
      store.putProfile = (...given) => {
        asked.resolve(given[2])
        return putProfile(...given)
      }
      return store
    }
    const relay = await testRelay({ openStore })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const { taken } = await takeAll(session, () => alice.call('getProfile', { account: alice.id }))
    const put = codeOf(bob.call('putProfile', { version: 1, blob: new Uint8Array(9) }))
    const signal = await asked.promise
    await bob.close()
    expect(await put).toContain('closed')
    if (!signal?.aborted) await once(signal as AbortSignal, 'abort')
    await session.letGo()
    await taken
    await alice.call('getProfile', { account: alice.id })
    expect(await session.rows('SELECT 1 FROM profile')).toEqual([])
  })
})
