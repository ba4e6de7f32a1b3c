// Free space is kept: new data is refused before the disk is full, and accepted data is still processed.
import { randomBytes } from 'node:crypto'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'
import { type DiskRoom, DiskSpace } from '../src/limits/disk-space.ts'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { acknowledged, codeOf, DAY_MS, World } from './contract/world.ts'
import { begin, offsetOf, put } from './put-blob.ts'
import { arrive, chatOf, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { messageEnvelope, newPerson } from './test-client.ts'

const GIB = 2 ** 30
const MIB = 2 ** 20
const full = { code: 'storage-full' }

/** A disk that a test fills. */
class SomeDisk {
  room: DiskRoom = { freeBytes: 100 * GIB, totalBytes: 200 * GIB }
  looks = 0

  readonly readDisk = (): DiskRoom => {
    this.looks += 1
    return { ...this.room }
  }
}

describe('blobs', () => {
  test('[RELAY-5.7] are refused when all together would be too many bytes; deleted ones make room', async () => {
    const relay = await testRelay({ limits: { blobsBytesMax: 1000 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const first = await begin(relay, alice, 600)
    expect((await put(first, randomBytes(600), 0)).status).toBe(204)
    await expect(bob.call('beginBlob', { size: 401 })).rejects.toMatchObject(full)
    expect((await put(await begin(relay, bob, 400), randomBytes(400), 0)).status).toBe(204)
    await expect(bob.call('beginBlob', { size: 1 })).rejects.toMatchObject(full)
    expect((await fetch(first.url)).status).toBe(200)
    await alice.call('deleteBlob', { blob: first.blob as never })
    expect((await put(await begin(relay, bob, 600), randomBytes(600), 0)).status).toBe(204)
  })

  test('[RELAY-5.7] who announces much and sends nothing takes nobody`s room', async () => {
    const relay = await testRelay({ limits: { blobsBytesMax: 1000 } })
    const [mallory, bob] = [await arrive(relay), await arrive(relay)]
    const announced = await Promise.all(Array.from({ length: 20 }, () => begin(relay, mallory, 1000)))
    expect((await put(await begin(relay, bob, 900), randomBytes(900), 0)).status).toBe(204)
    // A blob announced while there was space is refused while it arrives, and the bytes that fit stay.
    const [late] = announced
    if (!late) throw new TypeError('there are twenty')
    const refused = await put(late, randomBytes(1000), 0)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([507, '5'])
    expect(await refused.json()).toMatchObject(full)
  })

  test('[RELAY-5.7] many that come at once are never more than may be', async () => {
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory, limits: { blobsBytesMax: 1000 } })
    const alice = await arrive(relay)
    const begun = await Promise.all(Array.from({ length: 6 }, () => begin(relay, alice, 400)))
    const answers = await Promise.all(begun.map(one => put(one, randomBytes(400), 0)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 204)).toHaveLength(2)
    expect(statuses.filter(status => status === 507)).toHaveLength(4)
    await relay.stop()
    const again = await testRelay({ dataDirectory, limits: { blobsBytesMax: 1000 } })
    const owner = await arrive(again, alice.person)
    await expect(owner.call('beginBlob', { size: 201 })).rejects.toMatchObject(full)
  })

  test('[RELAY-5.7] are counted again at a start, those on their way included', async () => {
    const dataDirectory = temporaryDirectory()
    const before = await testRelay({ dataDirectory })
    const alice = await arrive(before)
    expect((await put(await begin(before, alice, 500), randomBytes(500), 0)).status).toBe(204)
    const unfinished = await begin(before, alice, 1000)
    expect((await put(unfinished, randomBytes(300), 0)).status).toBe(204)
    await before.stop()
    const relay = await testRelay({ dataDirectory, limits: { blobsBytesMax: 1000 } })
    const again = await arrive(relay, alice.person)
    await expect(again.call('beginBlob', { size: 201 })).rejects.toMatchObject(full)
    const { status } = await put(await begin(relay, again, 200), randomBytes(200), 0)
    expect(status).toBe(204)
  })

  test('[RELAY-5.7] stop while messages go on, and go on where they ended when there is room', async () => {
    const disk = new SomeDisk()
    const relay = await testRelay({ readDisk: disk.readDisk })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const bytes = randomBytes(3 * MIB)
    const begun = await begin(relay, alice, bytes.length)
    // Noticed at the next MiB at the latest.
    disk.room.freeBytes = GIB - 1
    const refused = await put(begun, bytes, 0)
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([507, 'storage-full'])
    await expect(alice.call('beginBlob', { size: 2 * MIB })).rejects.toMatchObject(full)
    expect((await alice.append(messageEnvelope({ group, epoch: 1 }))).accepted?.seq).toBe(2)
    disk.room.freeBytes = 100 * GIB
    const standing = await fetch(begun.url, { method: 'HEAD', headers: { Authorization: `Bearer ${begun.token}` } })
    const offset = offsetOf(standing)
    expect(offset).toBeLessThan(bytes.length)
    expect((await put(begun, bytes.subarray(offset), offset)).status).toBe(204)
    expect(Buffer.from(await (await fetch(begun.url)).arrayBuffer())).toEqual(bytes)
  })
})

describe('messages', () => {
  test('[RELAY-1.45] are refused while the disk has nothing but its reserve, and what was accepted is delivered', async () => {
    const disk = new SomeDisk()
    const relay = await testRelay({ readDisk: disk.readDisk })
    const [alice, bob, carol] = [await arrive(relay), await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob, carol)
    const accepted = messageEnvelope({ group, epoch: 1 })
    await alice.append(accepted)
    disk.room.freeBytes = 100 * MIB
    // The disk is read again for every MiB, or when a second has passed.
    while ((await codeOf(alice.append(messageEnvelope({ group, epoch: 1, size: 100_000 })))) === 'no error') continue
    const refusedCalls = [
      alice.append(messageEnvelope({ group, epoch: 1 })),
      alice.call('beginBlob', { size: 1 }),
      alice.call('putProfile', { version: 1, blob: randomBytes(100) }),
      openClient(relay).authenticate(newPerson()),
    ]
    for (const refused of refusedCalls) await expect(refused).rejects.toMatchObject(full)
    expect((await alice.append(accepted)).accepted).toMatchObject({ seq: 2, duplicate: true })
    await openClient(relay).authenticate(bob.person, 'login')
    const reader = await arrive(relay, carol.person)
    await reader.call('follow', { after: 0 })
    const [, second] = await reader.delivered(2)
    expect(second?.payload).toEqual(Buffer.from(accepted))
    reader.acknowledge(reader.lastCursor, 5)
    await reader.append(messageEnvelope({ group, epoch: 1 }), { leave: true })
    const login = await openClient(relay).authenticate(carol.person, 'login')
    expect(login).toMatchObject({ cursor: reader.lastCursor, mark: 5 })
    disk.room.freeBytes = 100 * GIB
    expect((await alice.append(messageEnvelope({ group, epoch: 1 }))).accepted).toBeDefined()
  })

  test('[RELAY-1.45] before the database is as large as it may be, all else than the new still has room', async () => {
    const directory = temporaryDirectory()
    const limits = relayLimits({ databaseBytesMax: 8 * MIB, newAccountBytesPerDayMax: 100 * MIB })
    const store = openSqliteStore({ directory, limits, wake: new InProcessWake(), clock: new ManualClock() })
    const world = new World(store)
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob, carol)
    const outcome = () => codeOf(world.send(group, { sender: alice, payload: randomBytes(50_000) }))
    for (let last = 'no error'; last === 'no error'; ) last = await outcome()
    expect(await outcome()).toBe('storage-full')
    const head = await world.head(bob)
    await acknowledged(world, bob, { cursor: head, mark: 1 })
    expect((await store.getAccount(bob))?.cursor).toBe(head)
    await store.setBanned(alice, world.nowMs)
    await world.send(group, { sender: carol, delivery: { kind: 'leave' } })
    world.nowMs += 31 * DAY_MS
    await world.sweep()
    expect(await outcome()).toBe('no error')
    await store.close()
  })
})

describe('the room on a disk', () => {
  const limits = relayLimits()

  test('[RELAY-1.45] is looked at seldom while there is plenty, and each time before something is refused', () => {
    const disk = new SomeDisk()
    const clock = new ManualClock()
    const space = new DiskSpace({ limits, clock, read: disk.readDisk })
    for (let times = 0; times < 1000; times++) expect(space.fitsMessages()).toBe(true)
    expect(disk.looks).toBe(1)
    disk.room.freeBytes = 0
    clock.advance(1000)
    for (let times = 0; times < 10; times++) expect(space.fitsMessages()).toBe(false)
    expect(disk.looks).toBe(11)
    disk.room.freeBytes = GIB
    expect([space.fitsMessages(), space.fitsBlob(1)]).toEqual([true, false])
  })

  test('[RELAY-1.45] of a small disk only a part is kept free', () => {
    const disk = new SomeDisk()
    disk.room = { freeBytes: 5 * MIB, totalBytes: 24 * MIB }
    const space = new DiskSpace({ limits, clock: new ManualClock(), read: disk.readDisk })
    expect([space.fitsMessages(), space.fitsBlob(MIB)]).toEqual([true, true])
    expect(space.fitsBlob(4 * MIB)).toBe(false)
  })
})
