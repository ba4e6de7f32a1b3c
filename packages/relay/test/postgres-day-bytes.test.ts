// The bytes of a day, which relays on one database count ahead: no more is accepted than the limit, whatever becomes of a relay.
import { randomBytes } from 'node:crypto'
import { type AccountId, type GroupId, postgresLimits } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { appendCost } from '../src/store/rules/costs.ts'
import { codeOf, type World } from './contract/world.ts'
import { DatabaseSession } from './database-session.ts'
import { DatabaseWay } from './database-way.ts'
import { openShared } from './shared-stores.ts'
import { idOf } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} The bytes of a day are not counted.`)

const KIB = 1024
const LIMIT = 400 * KIB
const PAYLOAD = 4 * KIB
const COST = appendCost(PAYLOAD, 1)
const limits = { newAccountBytesPerDayMax: LIMIT }

describe.skipIf(isMissing)('the bytes of a day', () => {
  let database: string
  let session: DatabaseSession
  beforeEach(async () => {
    database = await preparedDatabase()
    onTestFinished(() => forgetDatabase(database))
    session = await DatabaseSession.open(database)
  })

  const append = (world: World, group: GroupId, sender: AccountId, payload: Uint8Array = randomBytes(PAYLOAD)) => {
    const { nowMs } = world
    const delivery = { kind: 'message' as const }
    return world.store.append({ group, epoch: 1, sender, message: idOf(payload), payload, delivery, nowMs })
  }

  async function counted(): Promise<number> {
    const [row] = await session.rows<{ bytes: string }>('SELECT coalesce(max(bytes), 0) AS bytes FROM day_bytes')
    return Number(row?.bytes)
  }

  /** By the relays in turn, until all of them refuse; gives the bytes that were accepted. */
  async function flood(worlds: readonly World[], group: GroupId, sender: AccountId): Promise<number> {
    const open = new Set(worlds)
    let bytes = 0
    while (open.size > 0)
      for (const world of open) {
        const code = await codeOf(append(world, group, sender))
        if (code === 'no error') bytes += COST
        else {
          expect(code).toBe('daily-bytes-limit')
          open.delete(world)
        }
      }
    return bytes
  }

  test('[RELAY-7.41] are counted ahead, so that most messages count nothing', async () => {
    const world = await openShared(database)
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    for (let at = 0; at < 3; at++) await append(world, group, alice)
    const before = await counted()
    for (let at = 0; at < 100; at++) await append(world, group, alice)
    expect(await counted()).toBe(before)
    expect(before).toBeLessThan(postgresLimits.dayBytesReserved + 10 * COST)
  })

  test('[RELAY-7.41] are used up to the last message, by several relays, and no further', async () => {
    const [here, there] = [await openShared(database, limits), await openShared(database, limits)]
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    const first = await counted()
    const accepted = await flood([here, there], group, alice)
    expect(first + accepted).toBeLessThanOrEqual(LIMIT)
    // In the end each of them has less than a message left of the bytes that it counted ahead.
    expect(first + accepted).toBeGreaterThan(LIMIT - 3 * COST)
  })

  test('[RELAY-7.41] a relay that is killed takes along a sixteenth at most of what was left, and nothing is counted twice', async () => {
    const [killed, here] = [await openShared(database, limits), await openShared(database, limits)]
    const [alice, bob] = await killed.people()
    const group = await killed.chat(alice, bob)
    const first = await counted()
    for (let at = 0; at < 3; at++) await append(killed, group, alice)
    const accepted = 3 * COST + (await flood([here], group, alice))
    expect(first + accepted).toBeLessThanOrEqual(LIMIT)
    expect(first + accepted).toBeGreaterThan(LIMIT - LIMIT / 16 - 2 * COST)
  })

  test('[RELAY-7.41] what a relay of the version before has counted is counted here, and the other way round', async () => {
    const world = await openShared(database, limits)
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    for (let at = 0; at < 3; at++) await append(world, group, alice)
    const used = await counted()
    // As such a relay does it for a profile, and with its messages.
    const asked = 'UPDATE day_bytes SET bytes = bytes + $1 WHERE bytes + $1 <= $2'
    const charge = (bytes: number) => session.rows(`${asked} RETURNING bytes`, [bytes, LIMIT])
    expect(await charge(LIMIT - used + 1)).toEqual([])
    expect(await charge(LIMIT - used - 10 * COST)).toHaveLength(1)
    const accepted = await flood([world], group, alice)
    expect(accepted).toBeLessThanOrEqual(10 * COST + LIMIT / 16)
    expect(await counted()).toBeLessThanOrEqual(LIMIT)
  })

  test('[RELAY-7.41] after an answer that was lost, a relay uses nothing of what it had counted ahead', async () => {
    const way = await DatabaseWay.to(database)
    const world = await openShared(way.address)
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    for (let at = 0; at < 3; at++) await append(world, group, alice)
    const before = await counted()
    const { answered, lose } = way.hold(group)
    const payload = randomBytes(PAYLOAD)
    const doubted = append(world, group, alice, payload)
    await answered
    lose()
    expect((await doubted).accepted).toMatchObject({ message: idOf(payload) })
    expect(await counted()).toBe(before)
    await append(world, group, alice)
    expect(await counted()).toBeGreaterThan(before)
  })
})
