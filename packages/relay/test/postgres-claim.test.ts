// Relays may write to a shared database only with their lock, on the newest timeline, in their own sessions.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moveLimits, postgresLimits, systemClock } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { hasPgBouncer, PGBOUNCER_MISSING, PgBouncer } from '@postern/testkit/pgbouncer'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { markRestored } from '../src/commands/mark-restored.ts'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import type { StoreOptions } from '../src/store/relay-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { codeOf, World } from './contract/world.ts'
import { hurried } from './shared-stores.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Locks of relays on it are not tried.`)

async function open(database: string, given: Partial<StoreOptions> = {}): Promise<World> {
  const wake = new InProcessWake()
  const options = { directory: '', limits: relayLimits(), wake, clock: systemClock, ...given }
  const store = await openPostgresStore(database, options)
  onTestFinished(() => store.close())
  return new World(store, wake)
}

async function prepared(): Promise<string> {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  return database
}

async function administrator(database: string): Promise<Client> {
  const client = new Client(database)
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}

const CUT_OFF = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'postern-relay'`

/** Cuts the relays off, and takes their lock before they are back. */
async function lockOut(database: string): Promise<Client> {
  const locker = await administrator(database)
  const cutter = await administrator(database)
  const locked = locker.query('SELECT pg_advisory_lock(7, 2)')
  const waits = `SELECT count(*)::integer AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
  await expect.poll(async () => (await cutter.query(waits)).rows).toEqual([{ waiting: 1 }])
  await cutter.query(CUT_OFF)
  await locked
  return locker
}

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-claim-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe.skipIf(isMissing)('the lock of relays on their database', () => {
  test('[RELAY-7.18] waits for a relay that has just ended', async () => {
    const database = await prepared()
    const ending = await administrator(database)
    await ending.query('SELECT pg_advisory_lock_shared(7, 2)')
    const clock = new ManualClock()
    const restored = markRestored(['--database', database], {}, clock)
    // It has checked once, and will check again.
    await expect.poll(() => clock.timerCount).toBe(1)
    await ending.query('SELECT pg_advisory_unlock_shared(7, 2)')
    clock.advance(moveLimits.relayLookEveryMs)
    expect(await restored).toMatch(/new incarnation/)
  })

  test('[RELAY-7.18] shows a running relay however long it has been idle', async () => {
    const database = await prepared()
    const clock = new ManualClock()
    const here = await open(database, { clock })
    await here.people()
    for (let passed = 0; passed < 3; passed++) {
      clock.advance(postgresLimits.keepAliveMs)
      await here.people()
    }
    expect(await codeOf(markRestored(['--database', database], {}, hurried))).toBe('database-in-use')
    await here.store.close()
    await markRestored(['--database', database], {})
  })

  test('[RELAY-7.23] keeps a relay from writing while a command has the database, and lets it continue afterwards', async () => {
    const database = await prepared()
    const here = await open(database)
    const [alice] = await here.people()
    const locker = await lockOut(database)
    expect(await codeOf(here.store.getAccount(alice))).toBe('unavailable')
    await locker.query('SELECT pg_advisory_unlock(7, 2)')
    await expect.poll(() => here.store.getAccount(alice).catch(() => undefined)).toBeDefined()
  })

  test('[RELAY-7.23] a relay writes nothing into a database that was restored under it', async () => {
    const database = await prepared()
    const here = await open(database)
    const [alice] = await here.people()
    const locker = await lockOut(database)
    await locker.query("UPDATE incarnation SET id = '\\x00'::bytea")
    await locker.query('SELECT pg_advisory_unlock(7, 2)')
    const failure = await here.store.getAccount(alice).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'unavailable' })
    expect(String((failure as Error).cause)).toMatch(/was restored while this relay ran. Restart the relay/)
  })
})

describe.skipIf(isMissing)('[RELAY-7.24] the timeline of the primary', () => {
  async function twoPrimaries() {
    const old = await PostgresServer.start()
    onTestFinished(() => old[Symbol.asyncDispose]())
    const database = await old.createDatabase()
    await (await open(database)).store.close()
    const promoted = await old.startStandby({})
    onTestFinished(() => promoted[Symbol.asyncDispose]())
    const name = new URL(database).pathname.slice(1)
    return { old, promoted, name, onOld: database, onPromoted: promoted.urlOf(name) }
  }

  test('a relay that has written to the new primary is refused by the old one, also after a restart', async () => {
    const { promoted, onOld, onPromoted } = await twoPrimaries()
    const directory = temporaryFolder()
    await (await open(onOld, { directory })).store.close()
    await promoted.promote()
    await (await open(onPromoted, { directory })).store.close()
    const failure = await open(onOld, { directory }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'database-unreachable' })
    expect(String(failure)).toMatch(/on timeline 1 and this relay has written to timeline 2/)
    // A relay that does not know of the failover cannot tell.
    await (await open(onOld, { directory: temporaryFolder() })).store.close()
  })

  test('a relay that finds the new primary leaves the old one with all its connections', async () => {
    const { old, promoted, name, onOld } = await twoPrimaries()
    const { username } = new URL(onOld)
    const both = `postgres://${username}@127.0.0.1:${old.port},127.0.0.1:${promoted.port}/${name}?target_session_attrs=primary`
    const here = await open(both)
    const [alice] = await here.people()
    const relaysAt = (server: PostgresServer): Promise<string> =>
      server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'postern-relay'")
    await expect.poll(() => promoted.sql('SELECT count(*) FROM account', name)).not.toBe('0')
    await promoted.promote()
    await old.sql(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await old.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'postern-relay' AND query LIKE 'LISTEN%'`)
    expect(await relaysAt(old)).not.toBe('0')
    await expect.poll(() => here.store.getAccount(alice).catch(() => undefined)).toBeDefined()
    await expect.poll(() => relaysAt(old)).toBe('0')
    expect(await relaysAt(promoted)).not.toBe('0')
  })
})

describe.skipIf(isMissing)('[RELAY-7.25] a role, a standby and a pooler', () => {
  test('a role that may not make tables is one clear line', async () => {
    await using server = await PostgresServer.start()
    const database = await server.createDatabase()
    await server.sql('CREATE ROLE alice LOGIN')
    const url = new URL(database)
    url.username = 'alice'
    const failure = await open(url.href).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'database-unreachable' })
    expect(String(failure)).toMatch(/permission denied for schema public/)
    await server.sql(`GRANT CREATE ON SCHEMA public TO alice`, url.pathname.slice(1))
    await (await open(url.href)).people()
  })

  test('a lone standby is refused at the start', async () => {
    await using server = await PostgresServer.start()
    const database = await server.createDatabase()
    await (await open(database)).store.close()
    await using standby = await server.startStandby({})
    const failure = await open(standby.urlOf(new URL(database).pathname.slice(1))).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'database-unreachable' })
    expect(String(failure)).toMatch(/takes no writes|read-only/)
  })

  const isWithoutPooler = !hasPgBouncer()
  if (isWithoutPooler) console.warn(`${PGBOUNCER_MISSING} Relays behind it are not tried.`)

  test.skipIf(isWithoutPooler)('a pooler of sessions carries a relay', async () => {
    await using server = await PostgresServer.start()
    const database = await server.createDatabase()
    await using bouncer = await PgBouncer.start(server, 'session')
    const here = await open(bouncer.urlOf(database))
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    await here.send(group, { sender: alice })
    expect(await here.read(bob)).toHaveLength(2)
    expect(await codeOf(markRestored(['--database', database], {}, hurried))).toBe('database-in-use')
  })

  test.skipIf(isWithoutPooler)('a pooler of transactions is refused at the start, with its setting', async () => {
    await using server = await PostgresServer.start()
    const database = await server.createDatabase()
    await using bouncer = await PgBouncer.start(server, 'transaction')
    // A later start finds the statements that an earlier one has prepared.
    for (let start = 0; start < 4; start++) {
      const failure = await open(bouncer.urlOf(database)).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'database-unreachable' })
      expect(String(failure)).toMatch(/set its pool_mode to session/)
    }
  })
})
