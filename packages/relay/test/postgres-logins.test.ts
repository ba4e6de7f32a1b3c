// All clients log in at the same time, at relays on one database:
// in few transactions, without needless notifications, and fenced.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { postgresLimits, silentLog } from '@postern/protocol'
import { REPLACED_CLOSE_CODE } from '@postern/protocol/relay'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Fence } from '../src/store/fence.ts'
import { codeOf, type World } from './contract/world.ts'
import { DatabaseSession } from './database-session.ts'
import { DatabaseWay } from './database-way.ts'
import { arrive, chatOf, openClient, testRelay } from './relay-fixture.ts'
import { openShared } from './shared-stores.ts'
import { messageEnvelope, newPerson } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Logins that come at once are not tried.`)

async function sharedDatabase(): Promise<{ database: string; session: DatabaseSession }> {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  return { database, session: await DatabaseSession.open(database) }
}

/** Each account with one device of the same name. */
const claimAll = (world: World, accounts: readonly string[]): Promise<Fence[]> =>
  Promise.all(accounts.map(account => claim(world, account)))

const claim = async (world: World, account: string, signal?: AbortSignal): Promise<Fence> =>
  (await world.store.claimDevice({ device: account, account: account as never, serial: 0 }, signal)) as Fence

const generationsOf = (fences: readonly Fence[]): number[] => fences.map(({ generation }) => generation)

describe.skipIf(isMissing)('logins that come together', () => {
  test('[RELAY-7.26] share transactions, and are answered in the order in which they came', async () => {
    const { database, session } = await sharedDatabase()
    const world = await openShared(database)
    const accounts = await world.crowd(300)
    const answered: string[] = []
    const claims = accounts.map(account => claim(world, account).then(({ device }) => answered.push(device)))
    await Promise.all(claims)
    expect(answered).toEqual(accounts)
    const [row] = await session.rows<{ count: number }>(
      'SELECT count(DISTINCT xmin::text)::integer AS count FROM device',
    )
    expect(row?.count).toBe(Math.ceil(accounts.length / postgresLimits.batchClaims))
  })

  test('[RELAY-7.26] two connections of one device are two generations, the later one the newer', async () => {
    const { database, session } = await sharedDatabase()
    const world = await openShared(database)
    const [alice, bob, carol] = await world.people()
    const fences = await claimAll(world, [alice, bob, alice, alice, carol])
    expect(generationsOf(fences)).toEqual([1, 1, 2, 3, 1])
    // The others still share their transaction.
    const asked = 'SELECT count(DISTINCT xmin::text)::integer AS count FROM device WHERE key <> $1'
    expect(await session.rows(asked, [alice])).toEqual([{ count: 1 }])
  })

  test('[RELAY-7.26] each has its own answer: one that is refused changes nothing for the others', async () => {
    const { database, session } = await sharedDatabase()
    const world = await openShared(database)
    const [alice, banned, revoked, bob] = await world.people()
    await world.store.setBanned(banned, world.nowMs)
    await world.store.raiseSerial(revoked, 1)
    const unreadable = codeOf(claim(world, 'no account\0'))
    const codes = [banned, revoked, 'nobody'].map(account => codeOf(claim(world, account)))
    const admitted = claimAll(world, [alice, bob])
    expect(await Promise.all(codes)).toEqual(['account-banned', 'bad-certificate', 'account-unknown'])
    expect(await unreadable).toBe('internal')
    expect(generationsOf(await admitted)).toEqual([1, 1])
    const rows = await session.rows<{ key: string }>('SELECT key FROM device ORDER BY key')
    expect(rows.map(({ key }) => key)).toEqual([alice, bob].toSorted())
  })

  test('[RELAY-7.27] nobody waits for a device whose older connection has something in flight but that device', async () => {
    const { database, session } = await sharedDatabase()
    const world = await openShared(database)
    const [alice, ...others] = await world.crowd(50)
    await claimAll(world, [alice, ...others])
    // As a batch of the log holds it, at any relay.
    await session.rows('SELECT pg_advisory_lock_shared(hashtextextended($1, 1))', [alice])
    const answered: number[] = []
    const first = claim(world, alice).then(({ generation }) => answered.push(generation))
    expect(generationsOf(await claimAll(world, others))).toEqual(others.map(() => 2))
    const second = claim(world, alice).then(({ generation }) => answered.push(generation))
    expect(generationsOf(await claimAll(world, others))).toEqual(others.map(() => 3))
    expect(answered).toEqual([])
    await session.rows('SELECT pg_advisory_unlock_shared(hashtextextended($1, 1))', [alice])
    await Promise.all([first, second])
    // In the order of arrival: the older one must not end the newer one.
    expect(answered).toEqual([2, 3])
  })

  test('[RELAY-7.27] a later login of a device overtakes no earlier one that waits for a connection to the database', async () => {
    const { database, session } = await sharedDatabase()
    const world = await openShared(database)
    const [alice, bob, carol] = await world.people()
    await claimAll(world, [alice])
    await session.rows('SELECT pg_advisory_lock_shared(hashtextextended($1, 1))', [alice])
    const holder = await DatabaseSession.open(database)
    await holder.rows('BEGIN')
    await holder.rows('LOCK TABLE profile IN ACCESS EXCLUSIVE MODE')
    const taken = Promise.allSettled(
      Array.from({ length: postgresLimits.poolConnections }, () => world.store.getProfile(bob)),
    )
    await session.untilWaiting(postgresLimits.poolConnections)
    const first = claim(world, alice)
    // Answered behind it: from here on its device is known to be busy.
    await claim(world, carol)
    await session.rows('SELECT pg_advisory_unlock_shared(hashtextextended($1, 1))', [alice])
    const second = claim(world, alice)
    await claim(world, bob)
    await holder.letGo()
    await taken
    expect(generationsOf(await Promise.all([first, second]))).toEqual([2, 3])
  })

  test('[RELAY-7.28] a login whose connection has gone before its turn is dropped, and changes nothing', async () => {
    const { database, session } = await sharedDatabase()
    const world = await openShared(database)
    const [alice, bob, carol] = await world.people()
    await session.holdClaims()
    const first = claim(world, alice)
    await session.untilWaiting(1)
    const gone = new AbortController()
    const dropped = claim(world, bob, gone.signal)
    const last = claim(world, carol)
    gone.abort()
    expect(await codeOf(dropped)).toBe('unauthenticated')
    await session.letGo()
    expect(generationsOf(await Promise.all([first, last]))).toEqual([1, 1])
    expect(await session.rows('SELECT key FROM device WHERE key = $1', [bob])).toEqual([])
  })

  test('[RELAY-7.28] a connection that is closed while it waits leaves nothing to do', async () => {
    const { database, session } = await sharedDatabase()
    const relay = await testRelay({ database })
    const [alice, bob] = [await arrive(relay), newPerson()]
    await (await arrive(relay, bob)).close()
    await session.holdClaims()
    const waiting = arrive(relay, alice.person)
    await session.untilWaiting(1)
    const before = await session.rows('SELECT key, generation FROM device ORDER BY key')
    const leaving = openClient(relay)
    await leaving.challenge
    const refused = leaving.authenticate(bob, 'login').catch(() => 'gone')
    // Accounts are read in the order of logins: when this one is answered, only the claim of the other is left to do.
    await nextTurn()
    expect(await codeOf(leaving.call('ping', {}))).toBe('unauthenticated')
    expect(await codeOf(openClient(relay).authenticate(newPerson(), 'login'))).toBe('account-unknown')
    await leaving.close()
    expect(await refused).toBe('gone')
    await session.letGo()
    await waiting
    const after = await session.rows('SELECT key, generation FROM device ORDER BY key')
    const raised = after.filter((row, at) => JSON.stringify(row) !== JSON.stringify(before[at]))
    expect(raised).toHaveLength(1)
  })
})

describe.skipIf(isMissing)('what other relays are told of logins', () => {
  test('[RELAY-7.29] nothing of a device that comes back to the same relay', async () => {
    const { database, session } = await sharedDatabase()
    const world = await openShared(database)
    await openShared(database)
    const accounts = await world.crowd(200)
    for (let round = 1; round <= 3; round++)
      expect(generationsOf(await claimAll(world, accounts))).toEqual(accounts.map(() => round))
    expect(await session.claimsTold()).toEqual([])
  })

  test('[RELAY-7.29] each device that the other one has held, once', async () => {
    const { database, session } = await sharedDatabase()
    const [here, there] = [await openShared(database), await openShared(database)]
    const accounts = await here.crowd(200)
    await claimAll(here, accounts)
    await untilListening(session, 2)
    await claimAll(there, accounts.slice(0, 150))
    await claimAll(there, accounts.slice(0, 150))
    const told = await session.claimsTold()
    expect(told.toSorted()).toEqual(accounts.slice(0, 150).toSorted())
  })

  test('[RELAY-7.29] nothing of devices whose relay is not there any more', async () => {
    const { database, session } = await sharedDatabase()
    const [here, there] = [await openShared(database), await openShared(database)]
    const accounts = await here.crowd(200)
    await claimAll(here, accounts)
    await untilListening(session, 2)
    await here.store.close()
    await untilListening(session, 1)
    await claimAll(there, accounts)
    expect(await session.claimsTold()).toEqual([])
  })

  test('[RELAY-7.29] a device of an older relay, which does not say that it holds one', async () => {
    const { database, session } = await sharedDatabase()
    const world = await openShared(database)
    const [alice, bob] = await world.people()
    await claimAll(world, [alice, bob])
    await session.rows("SELECT claim_device_of($1, $1, 0, 'older')", [alice])
    await session.rows("SELECT claim_device($1, 'oldest')", [bob])
    await session.claimsTold()
    await claimAll(world, [alice, bob])
    expect(await session.claimsTold()).toEqual([alice, bob].toSorted())
  })

  test('[RELAY-7.30] a relay that begins to listen while a claim is in flight learns of it, though it was not told', async () => {
    const { database, session } = await sharedDatabase()
    const way = await DatabaseWay.to(database)
    const here = await testRelay({ database: way.address })
    const alice = await arrive(here)
    await untilListening(session, 1)
    const watch = await DatabaseSession.open(database)
    const [row] = await session.rows<{ key: string; relay: string }>('SELECT key, relay FROM device')
    // Queued before the relay, which loses its connection and cannot listen again while this lock is held.
    const locked = session.rows('SELECT pg_advisory_lock(9, hashtext($1))', [row?.relay])
    await watch.untilWaiting(1)
    way.loseHearing()
    await locked
    await watch.untilWaiting(1)
    // Another relay claims the device, and has not committed yet.
    await session.rows('BEGIN')
    const claimed = `SELECT generation FROM claim_devices(ARRAY[$1], ARRAY[$2], ARRAY[1]::bigint[], 'there', false)`
    expect(await session.rows(claimed, [row?.key, alice.id])).toEqual([{ generation: '2' }])
    await session.rows('SELECT pg_advisory_unlock(9, hashtext($1))', [row?.relay])
    await watch.untilWaiting(1)
    await session.rows('COMMIT')
    expect((await alice.closed).code).toBe(REPLACED_CLOSE_CODE)
    expect(await session.claimsTold()).toEqual([])
  })
})

describe.skipIf(isMissing)('a relay that cannot listen yet', () => {
  test('[RELAY-7.12] and loses the database again warns in one line', async () => {
    const { database, session } = await sharedDatabase()
    const [warn, error] = [vi.fn(), vi.fn()]
    const here = await testRelay({ database, log: { ...silentLog, warn, error } })
    await arrive(here)
    await untilListening(session, 1)
    const watch = await DatabaseSession.open(database)
    const [row] = await session.rows<{ relay: string }>('SELECT relay FROM device')
    const locked = session.rows('SELECT pg_advisory_lock(9, hashtext($1))', [row?.relay])
    await watch.untilWaiting(1)
    const end = `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND classid = 9
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    await watch.rows(`${end} AND granted`)
    await locked
    // Now the relay waits for the lock, and loses its connection while it waits.
    await watch.untilWaiting(1)
    await watch.rows(`${end} AND NOT granted`)
    const line = expect.objectContaining({ code: 'unavailable' })
    await expect.poll(() => warn.mock.calls).toContainEqual([line, expect.stringContaining('hints of other relays')])
    expect(error).not.toHaveBeenCalled()
    await session.rows('SELECT pg_advisory_unlock(9, hashtext($1))', [row?.relay])
    await untilListening(session, 1)
  })
})

describe.skipIf(isMissing)('a relay that is lost in the middle of a login', () => {
  test('[RELAY-7.9] has fenced the older connection, or has changed nothing', async () => {
    const { database } = await sharedDatabase()
    const way = await DatabaseWay.to(database)
    const [here, there] = [await testRelay({ database }), await testRelay({ database: way.address })]
    const [alice, bob] = [await arrive(here), await arrive(here)]
    const group = await chatOf(alice, bob)
    await bob.call('follow', { after: 0 })
    // Before the claim arrives: the older connection stays.
    const cut = way.cutAt(alice.id)
    const first = codeOf(arrive(there, alice.person))
    await cut
    expect(await first).toBe('unavailable')
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    // After its commit, which no relay knows of: the older connection is ended all the same, and sends nothing more.
    const { answered, lose } = way.hold(`${alice.id}.`)
    const second = codeOf(arrive(there, alice.person))
    await answered
    lose()
    expect(await second).toBe('unavailable')
    expect((await alice.closed).code).toBe(REPLACED_CLOSE_CODE)
    const newer = await arrive(there, alice.person)
    await newer.append(messageEnvelope({ group, epoch: 1 }))
    const entries = await bob.delivered(3)
    expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })
})

describe.skipIf(isMissing)('a full relay', () => {
  test('[RELAY-2.33] says when to come back, and lets in whoever comes then', async () => {
    const { database, session } = await sharedDatabase()
    const relay = await testRelay({ database, limits: { loginsInFlightMax: 1 } })
    await session.holdClaims()
    const alice = arrive(relay)
    await session.untilWaiting(1)
    const bob = openClient(relay)
    const { nowMs } = await bob.challenge
    const refusal = await bob.authenticate(newPerson()).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'unavailable', details: { retryAtMs: expect.any(Number) } })
    expect((refusal as { details: { retryAtMs: number } }).details.retryAtMs).toBeGreaterThan(nowMs)
    await session.letGo()
    await alice
    await bob.authenticate(newPerson())
    await bob.call('ping', {})
  })

  test('[RELAY-2.34] cuts off nobody who is being logged in, however many others come', async () => {
    const { database, session } = await sharedDatabase()
    const relay = await testRelay({ database, limits: { unauthenticatedMax: 1 } })
    await session.holdClaims()
    const alice = arrive(relay)
    await session.untilWaiting(1)
    const silent = openClient(relay)
    await silent.challenge
    await expect(openClient(relay).challenge).rejects.toThrow()
    await session.letGo()
    await (await alice).call('ping', {})
    expect(silent.socket.readyState).toBe(silent.socket.OPEN)
  })
})

async function untilListening(session: DatabaseSession, count: number): Promise<void> {
  const text = `SELECT count(*)::integer AS listening FROM pg_locks WHERE locktype = 'advisory' AND classid = 9
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  for (;;) {
    const [row] = await session.rows<{ listening: number }>(text)
    if (row?.listening === count) return
  }
}
