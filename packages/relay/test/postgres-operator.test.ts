// Two relays on one database, and their operator: a command to one of them counts at both.
import { backupLimits, systemClock } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { REPLACED_CLOSE_CODE } from '@postern/protocol/relay'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeInvite } from '../src/commands/invite.ts'
import { markRestored } from '../src/commands/mark-restored.ts'
import { runOperatorCommand } from '../src/commands/operate.ts'
import type { Relay, RelayOptions } from '../src/index.ts'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { codeOf, World } from './contract/world.ts'
import { arrive, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { hurried } from './shared-stores.ts'
import { anotherDevice, type BarePerson, newPerson, proofOf } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Relays that share one are not tried.`)

async function twoRelays(options: Partial<RelayOptions> = {}) {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  const start = async () => {
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ ...options, dataDirectory, database })
    const ask = (command: string, given: Record<string, unknown> = {}) =>
      askControl(dataDirectory, { request: { command, arguments: given } })
    return { relay, ask, dataDirectory }
  }
  return { database, here: await start(), there: await start() }
}

const login = (relay: Relay, person: BarePerson) => openClient(relay).authenticate(person, 'login')

describe.skipIf(isMissing)('two relays on one database', () => {
  test('[RELAY-7.3] who is banned at one is cut off at the other, and let in again there', async () => {
    const { here, there } = await twoRelays()
    const [alice, bob] = [await arrive(here.relay), await arrive(here.relay)]
    await there.ask('ban', { account: alice.id })
    expect((await alice.closed).reason).toContain('account-banned')
    await expect(login(here.relay, alice.person)).rejects.toMatchObject({ code: 'account-banned' })
    await bob.call('ping', {})
    await there.ask('unban', { account: alice.id })
    await expect
      .poll(() =>
        login(here.relay, alice.person).then(
          () => 'in',
          (error: unknown) => String(error),
        ),
      )
      .toBe('in')
  })

  test('[RELAY-7.3] a certificate that is shown to one ends those below it at the other', async () => {
    const { here, there } = await twoRelays()
    const alice = await arrive(here.relay)
    const newer = openClient(there.relay)
    const { nonce } = await newer.challenge
    const proof = proofOf(anotherDevice(alice.person), { nonce, audience: newer.host, serial: 7 })
    await newer.call('authenticate', { ...proof, intent: 'login' })
    expect((await alice.closed).code).toBe(REPLACED_CLOSE_CODE)
    await expect(login(here.relay, alice.person)).rejects.toMatchObject({ code: 'bad-certificate' })
  })

  test('[RELAY-7.6] status tells of the server, and an operator is answered as at any relay', async () => {
    const { here, there } = await twoRelays()
    const alice = await arrive(here.relay)
    expect(await there.ask('status')).toMatchObject({
      store: 'postgresql',
      accounts: 1,
      takes: { messages: true, blobs: true },
      database_bytes: expect.any(Number),
    })
    const text = await runOperatorCommand('status', ['--data', there.dataDirectory], {})
    expect(text).toMatch(/database +\d.* MiB, on PostgreSQL/)
    expect(await runOperatorCommand('accounts', ['--data', there.dataDirectory], {})).toContain(alice.id)
  })

  test('[RELAY-7.2] an invite is listed, used and revoked at whichever relay', async () => {
    const { database, here, there } = await twoRelays({ registration: 'invite' })
    const code = await makeInvite([], { POSTERN_RELAY_DATABASE: database })
    await openClient(here.relay).register(newPerson(), code)
    const listed = (await there.ask('invites')) as { invites: { invite: string; used: number }[] }
    expect(listed.invites).toMatchObject([{ uses: 1, used: 1, expired: false }])
    const second = await makeInvite(['--database', database], {})
    const [, last] = ((await there.ask('invites')) as typeof listed).invites
    await there.ask('revoke-invite', { invite: last?.invite })
    await expect(openClient(here.relay).register(newPerson(), second)).rejects.toMatchObject({ code: 'invite-wrong' })
  })
})

describe.skipIf(isMissing)('a database that was restored', () => {
  const run = (...argv: string[]) => markRestored(argv, {})

  test('[RELAY-7.18] is another life of the relay, and gives out no position again', async () => {
    const database = await preparedDatabase()
    onTestFinished(() => forgetDatabase(database))
    const open = () =>
      openPostgresStore(database, {
        directory: '',
        limits: relayLimits(),
        wake: new InProcessWake(),
        clock: systemClock,
      })
    const before = new World(await open())
    const [alice, bob] = await before.people()
    const group = await before.chat(alice, bob)
    const head = await before.head(bob)
    const { incarnation } = before.store
    expect(await codeOf(markRestored(['--database', database], {}, hurried))).toBe('database-in-use')
    await before.store.close()
    await run('--database', database)
    const after = new World(await open())
    onTestFinished(() => after.store.close())
    expect(after.store.incarnation).not.toEqual(incarnation)
    expect(after.store.incarnation).toHaveLength(incarnation.length)
    await after.send(group, { sender: alice })
    expect((await after.head(bob)) - head).toBeGreaterThan(backupLimits.positionsSkipped)
    expect((await after.read(bob)).map(({ seq }) => seq)).toEqual([1, 2])
  })

  test('[RELAY-7.18] [RELAY-3.8] has to be named', async () => {
    expect(await codeOf(run())).toBe('bad-field')
    expect(await codeOf(run('--database', 'mysql://db/postern'))).toBe('bad-field')
    expect(await codeOf(run('--database', 'postgres://127.0.0.1:1/postern'))).toBe('database-unreachable')
  })
})
