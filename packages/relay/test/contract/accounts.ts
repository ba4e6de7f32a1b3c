// Accounts: key packages, profiles, and their limits.
import { randomBytes } from 'node:crypto'
import { accountIdFromHash } from '@postern/protocol'
import { expect, test } from 'vitest'
import { newGroupId } from '../test-client.ts'
import { bytes, codeOf, DAY_MS, type Get, type Reopen } from './world.ts'

export function accountRules(get: Get, reopen: Reopen): void {
  test('[RELAY-1.15] one-time key packages go out once, then the last resort', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const oneTime = Array.from({ length: 20 }, (_, at) => bytes(`k${at}`))
    expect(
      await world.store.publishKeyPackages(alice, {
        oneTime,
        lastResort: bytes('last'),
        replace: false,
        nowMs: world.nowMs,
      }),
    ).toBe(20)
    expect((await world.store.getAccount(alice))?.keyPackages).toBe(20)
    const taken = await Promise.all(Array.from({ length: 30 }, () => world.store.handOutKeyPackage(alice, world.nowMs)))
    const once = taken
      .filter(one => one?.lastResort === false)
      .map(one => Buffer.from(one?.keyPackage ?? []).toString())
    expect(once.toSorted()).toEqual(oneTime.map(one => Buffer.from(one).toString()).toSorted())
    expect(taken.filter(one => one?.lastResort)).toHaveLength(10)
    expect(await world.store.handOutKeyPackage(bob, world.nowMs)).toBeUndefined()
    expect(await world.store.hasKeyPackage(bob)).toBe(false)
    expect(await world.store.hasKeyPackage(alice)).toBe(true)
    expect((await world.store.getAccount(alice))?.keyPackages).toBe(0)
  })

  test('[RELAY-1.15] published again by a late resend, a taken package does not go out twice', async () => {
    const world = get()
    const [alice] = await world.people()
    const publish = { oneTime: [bytes('k1'), bytes('k2')], lastResort: undefined, replace: false, nowMs: world.nowMs }
    await world.store.publishKeyPackages(alice, publish)
    expect(await world.store.publishKeyPackages(alice, publish)).toBe(2)
    await world.store.handOutKeyPackage(alice, world.nowMs)
    expect(await world.store.publishKeyPackages(alice, publish)).toBe(1)
    expect(await world.store.publishKeyPackages(alice, { ...publish, replace: true })).toBe(1)
    await world.store.handOutKeyPackage(alice, world.nowMs)
    expect(await world.store.handOutKeyPackage(alice, world.nowMs)).toBeUndefined()
  })

  test('[RELAY-1.15] replacing drops what was published before, the last resort too', async () => {
    const world = get()
    const [alice] = await world.people()
    const old = { oneTime: [bytes('old')], lastResort: bytes('oldest'), replace: false, nowMs: world.nowMs }
    await world.store.publishKeyPackages(alice, old)
    expect(
      await world.store.publishKeyPackages(alice, {
        oneTime: [bytes('new')],
        lastResort: undefined,
        replace: true,
        nowMs: world.nowMs,
      }),
    ).toBe(1)
    expect((await world.store.handOutKeyPackage(alice, world.nowMs))?.keyPackage).toEqual(bytes('new'))
    expect(await world.store.handOutKeyPackage(alice, world.nowMs)).toBeUndefined()
  })

  test('[RELAY-1.5] the serial of an account only rises, over restarts too', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const raise = (serial: number) => get().store.raiseSerial(alice, serial)
    expect(await raise(3)).toBe(3)
    expect(await raise(2)).toBe(3)
    expect(await Promise.all([raise(5), raise(4), raise(3)])).toEqual([5, 5, 5])
    await reopen({})
    expect(await raise(4)).toBe(5)
    expect(await get().store.getAccount(alice)).toMatchObject({ serial: 5 })
    expect(await get().store.getAccount(bob)).toMatchObject({ serial: 0 })
  })

  test('[RELAY-1.21] a profile is replaced by its next version only', async () => {
    const world = get()
    const [alice] = await world.people()
    expect(await world.store.getProfile(alice)).toMatchObject({ version: 0, blob: new Uint8Array() })
    expect(await world.store.getProfile(accountIdFromHash(randomBytes(32)))).toBeUndefined()
    const put = (version: number, text: string) =>
      world.store.putProfile(alice, { version, blob: bytes(text), nowMs: world.nowMs })
    expect(await put(2, 'b')).toEqual({ accepted: false, version: 0 })
    expect(await put(1, 'a')).toEqual({ accepted: true, version: 1 })
    expect(await put(1, 'a')).toEqual({ accepted: true, version: 1 })
    expect(await put(1, 'other')).toEqual({ accepted: false, version: 1 })
    expect((await Promise.all([put(2, 'x'), put(2, 'y')])).map(one => one.accepted)).toEqual([true, false])
    expect(await world.store.getProfile(alice)).toMatchObject({ version: 2, blob: bytes('x') })
  })

  test('[RELAY-1.29] accounts, their groups and their key packages are bounded', async () => {
    const world = await reopen({ accountsMax: 5, groupsPerAccountMax: 2, keyPackagesPerAccountMax: 3 })
    const [alice, bob] = await world.people()
    const sixth = accountIdFromHash(randomBytes(32))
    const accountKey = randomBytes(32)
    const { nowMs } = world
    expect(await codeOf(world.store.registerAccount(sixth, { accountKey, nowMs }))).toBe('rate-limited')
    expect(await world.store.registerAccount(bob, { accountKey, nowMs })).toBe('exists')

    const own = await world.chat(alice)
    await world.chat(alice, bob)
    expect(await codeOf(world.store.createGroup(newGroupId(), { creator: alice, nowMs }))).toBe('rate-limited')
    await world.send(own, { sender: alice, delivery: { kind: 'leave' } })
    expect(await world.store.createGroup(newGroupId(), { creator: alice, nowMs })).toBe('created')

    const publish = (...names: string[]) =>
      world.store.publishKeyPackages(alice, { oneTime: names.map(bytes), lastResort: undefined, replace: false, nowMs })
    expect(await publish('1', '2')).toBe(2)
    expect(await codeOf(publish('3', '4'))).toBe('rate-limited')
    expect(await publish('3')).toBe(3)
  })

  test('[RELAY-1.44] a ban is kept, and so is its end; nothing else of the account changes', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    await world.send(group, { sender: bob })
    const before = await world.store.getAccount(alice)
    const read = await world.read(alice)
    await world.store.setBanned(alice, world.nowMs)
    const reopened = await reopen({})
    expect(await reopened.store.bannedAccounts()).toEqual([alice])
    expect(await reopened.store.getAccountFacts(alice, world.nowMs)).toMatchObject({ bannedMs: world.nowMs, groups: 1 })
    expect([await reopened.store.getAccount(alice), await reopened.read(alice)]).toEqual([before, read])
    await reopened.store.setBanned(alice, undefined)
    const again = await reopen({})
    expect(await again.store.bannedAccounts()).toEqual([])
    expect(await again.store.getAccountFacts(alice, world.nowMs)).toMatchObject({ bannedMs: undefined })
    expect(await codeOf(again.store.setBanned(accountIdFromHash(randomBytes(32)), 1))).toBe('account-not-found')
  })

  test('[RELAY-1.44] of when an account was here only the day is kept', async () => {
    const world = get()
    const [alice] = await world.people()
    const day = Math.floor(world.nowMs / DAY_MS)
    expect((await world.store.getAccount(alice))?.seenDay).toBe(day)
    await world.store.noteSeen(alice, world.nowMs + DAY_MS + 1234)
    expect((await world.store.getAccount(alice))?.seenDay).toBe(day + 1)
    expect(await world.store.figures()).toMatchObject({ accounts: 5, banned: 0, groups: 0, blobs: 0 })
  })
}
