// Two stores on one database: limits, uses and one-time items count for both together.
import { randomBytes } from 'node:crypto'
import { accountIdFromHash, type BlobId, DAY_MS, systemClock } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { test as base, describe, expect } from 'vitest'
import { makeInvite } from '../src/commands/invite.ts'
import { Invites } from '../src/invites/invites.ts'
import { type RelayLimits, relayLimits } from '../src/limits/relay-limits.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import type { RelayStore } from '../src/store/relay-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { codeOf, START_MS, World } from './contract/world.ts'
import { newGroupId } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Stores that share one are not tried.`)

type Open = (limits?: Partial<RelayLimits>) => Promise<World>

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend<'database', string>('database', async ({}, { onCleanup }) => {
    const database = await preparedDatabase()
    onCleanup(() => forgetDatabase(database))
    return database
  })
  .extend<'open', Open>('open', async ({ database }, { onCleanup }) => {
    const opened: RelayStore[] = []
    onCleanup(async () => {
      await Promise.all(opened.map(store => store.close()))
    })
    return async limits => {
      const given = { directory: '', limits: relayLimits(limits), wake: new InProcessWake(), clock: systemClock }
      const store = await openPostgresStore(database, given)
      opened.push(store)
      return new World(store)
    }
  })

const newAccount = () => accountIdFromHash(randomBytes(32))
const newBlob = () => newGroupId() as string as BlobId
const counted = (codes: string[], code: string): number => codes.filter(one => one === code).length
/** The stores alternate. */
const inTurn = <T>(count: number, worlds: World[], ask: (world: World) => Promise<T>): Promise<T>[] =>
  Array.from({ length: count }, (_, at) => ask(worlds[at % worlds.length] as World))

describe.skipIf(isMissing)('two stores on one database', () => {
  test('[RELAY-7.1] take no more accounts than there may be', async ({ open }) => {
    const worlds = [await open({ accountsMax: 7 }), await open({ accountsMax: 7 })]
    const register = ({ store, nowMs }: World) =>
      codeOf(store.registerAccount(newAccount(), { accountKey: randomBytes(32), nowMs }))
    const codes = await Promise.all(inTurn(30, worlds, register))
    expect([counted(codes, 'no error'), counted(codes, 'rate-limited')]).toEqual([7, 23])
    for (const { store } of worlds) expect(await store.figures()).toMatchObject({ accounts: 7 })
  })

  test('[RELAY-7.1] an account that comes to both at once is one, and uses one invite once', async ({ open }) => {
    const worlds = [await open(), await open()]
    const account = newAccount()
    const accountKey = randomBytes(32)
    const invite = { hash: randomBytes(32), usesMax: 1, expiresMs: START_MS + DAY_MS }
    const made = await Promise.all(
      inTurn(10, worlds, ({ store, nowMs }) => store.registerAccount(account, { accountKey, nowMs, invite })),
    )
    expect(counted(made, 'created')).toBe(1)
    expect(await worlds[0]?.store.inviteUses(invite.hash)).toBe(1)
    const others = await Promise.all(
      inTurn(6, worlds, ({ store, nowMs }) =>
        codeOf(store.registerAccount(newAccount(), { accountKey, nowMs, invite })),
      ),
    )
    expect(others).toEqual(Array(6).fill('invite-used'))
  })

  test('[RELAY-7.1] count bytes and blobs of a day together', async ({ open }) => {
    const limits = { newAccountBytesPerDayMax: 100_000, blobsPerDayMax: 5, blobsPerDayBytesMax: 1000 }
    const worlds = [await open(limits), await open(limits)]
    const [alice, bob] = (await worlds[0]?.people()) ?? []
    if (!alice || !bob) throw new Error('nobody is there')
    const groups = await Promise.all(
      inTurn(500, worlds, ({ store, nowMs }) => codeOf(store.createGroup(newGroupId(), { creator: alice, nowMs }))),
    )
    expect([counted(groups, 'no error'), counted(groups, 'daily-bytes-limit')]).toEqual([390, 110])
    const begin = (size: number, owner: typeof alice) =>
      Promise.all(
        inTurn(12, worlds, ({ store, nowMs }) =>
          codeOf(store.beginBlob(newBlob(), { owner, size, tokenHash: randomBytes(32), nowMs })),
        ),
      )
    expect(counted(await begin(1, alice), 'no error')).toBe(5)
    expect(counted(await begin(300, bob), 'no error')).toBe(3)
  })

  test('[RELAY-7.2] an invite that a command has made is taken by both, and one that was revoked by neither', async ({
    open,
    database,
  }) => {
    const [here, there] = [await open(), await open()]
    const code = await makeInvite(['--database', database, '--uses', '9'], {})
    const [atOne, atOther] = [here, there].map(({ store }) => new Invites(store.invites as never))
    if (!atOne || !atOther) throw new Error('there are two')
    const nowMs = Date.now()
    const found = await atOther.find(code, nowMs)
    expect(await atOne.find(code, nowMs)).toEqual(found)
    const accountKey = randomBytes(32)
    await there.store.registerAccount(newAccount(), { accountKey, nowMs, invite: found })
    await atOne.revoke(Buffer.from(found.hash).toString('hex').slice(0, 8))
    expect(await codeOf(atOther.find(code, nowMs))).toBe('invite-wrong')
    // The invite was found before that.
    expect(await codeOf(there.store.registerAccount(newAccount(), { accountKey, nowMs, invite: found }))).toBe(
      'invite-wrong',
    )
    expect([await atOther.list(), await there.store.inviteUses(found.hash)]).toEqual([[], 1])
  })

  test('[RELAY-7.5] hand a key package out once, and take one profile of a version', async ({ open }) => {
    const worlds = [await open(), await open()]
    const [alice] = (await worlds[0]?.people()) ?? []
    if (!alice) throw new Error('nobody is there')
    const oneTime = Array.from({ length: 20 }, () => randomBytes(8))
    const published = { oneTime, lastResort: randomBytes(8), replace: true, nowMs: START_MS }
    await worlds[1]?.store.publishKeyPackages(alice, published)
    const taken = await Promise.all(inTurn(30, worlds, ({ store, nowMs }) => store.handOutKeyPackage(alice, nowMs)))
    const once = taken.filter(one => one?.lastResort === false).map(one => Buffer.from(one?.keyPackage ?? []))
    expect(once.toSorted(Buffer.compare)).toEqual(oneTime.toSorted(Buffer.compare))
    const put = await Promise.all(
      inTurn(8, worlds, ({ store, nowMs }) => store.putProfile(alice, { version: 1, blob: randomBytes(8), nowMs })),
    )
    expect(put.filter(({ accepted }) => accepted)).toHaveLength(1)
  })

  test('[RELAY-7.4] a clock that is set back at one takes nothing back of the other', async ({ open }) => {
    const [here, there] = [await open(), await open()]
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    await here.send(group, { sender: alice })
    const nowMs = START_MS + 60 * DAY_MS
    await here.store.noteClockSet({ byMs: 60 * DAY_MS, nowMs })
    await there.store.noteClockSet({ byMs: -60 * DAY_MS, nowMs: START_MS })
    here.nowMs = nowMs + 29 * DAY_MS
    await here.sweep()
    expect(await here.read(bob)).toHaveLength(2)
    here.nowMs += 2 * DAY_MS
    await here.sweep()
    expect(await there.read(bob)).toEqual([])
  })

  test('[RELAY-7.4] one sweeps at a time', async ({ open }) => {
    const [here, there] = [await open(), await open()]
    const both = await here.store.asSweeper(async () => [await there.store.asSweeper(async () => 'swept')])
    expect(both).toEqual([undefined])
    expect(await there.store.asSweeper(async () => 'swept')).toBe('swept')
  })
})
