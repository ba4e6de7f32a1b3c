// Expiry: thirty days, in small turns.
import { expect, test } from 'vitest'
import { acknowledged, bytes, codeOf, DAY_MS, type Get, padded, type Reopen, texts } from './world.ts'

export function expiryRules(get: Get, reopen: Reopen): void {
  test('[RELAY-1.22] what is older than thirty days is gone, and nothing younger', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    await world.send(group, { sender: alice, payload: bytes('old') })
    world.nowMs += 20 * DAY_MS
    await world.send(group, { sender: alice, payload: bytes('young') })
    world.nowMs += 9 * DAY_MS
    await world.sweep()
    expect(await world.read(bob)).toHaveLength(3)
    world.nowMs += 2 * DAY_MS
    await world.sweep()
    expect(texts(await world.read(bob))).toEqual([padded('young')])
    expect(await world.read(alice)).toEqual([])
    expect((await world.send(group, { sender: bob })).accepted?.seq).toBe(4)
  })

  test('[RELAY-1.23] what was stored before the clock was set is not older by that, over restarts too', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    await world.send(group, { sender: alice, payload: bytes('early') })
    world.nowMs += 60 * DAY_MS
    await world.store.noteClockSet({ byMs: 60 * DAY_MS, nowMs: world.nowMs })
    world.nowMs += 29 * DAY_MS
    await world.sweep()
    const again = await reopen({})
    again.nowMs = world.nowMs
    await again.sweep()
    expect(texts(await again.read(bob)).at(-1)).toBe(padded('early'))
    again.nowMs += 2 * DAY_MS
    await again.sweep()
    expect(await again.read(bob)).toEqual([])
  })

  test('[RELAY-1.23] a clock that was set forward by mistake and back again changes nothing', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    await world.send(group, { sender: alice, payload: bytes('early') })
    const { nowMs } = world
    await world.store.noteClockSet({ byMs: 3650 * DAY_MS, nowMs: nowMs + 3650 * DAY_MS })
    await world.store.noteClockSet({ byMs: -3650 * DAY_MS, nowMs })
    world.nowMs += 29 * DAY_MS
    await world.sweep()
    expect(texts(await world.read(bob)).at(-1)).toBe(padded('early'))
    world.nowMs += 2 * DAY_MS
    await world.sweep()
    expect(await world.read(bob)).toEqual([])
  })

  test('[RELAY-1.4] a cursor is not used again when everything before it is gone', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    await world.send(group, { sender: alice })
    const cursor = await world.head(bob)
    await acknowledged(world, bob, { cursor, mark: 0 })
    world.nowMs += 40 * DAY_MS
    await world.sweep()
    expect(await world.read(bob)).toEqual([])
    expect(await world.head(bob)).toBe(cursor)
    const again = await reopen({})
    again.nowMs = world.nowMs
    await again.send(group, { sender: alice })
    expect(await again.kinds(bob, cursor)).toEqual(['message'])
  })

  test('[RELAY-1.22] sweeping goes in turns of bounded size', async () => {
    const world = await reopen({ sweepRowsPerTurn: 10 })
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob, carol)
    await Promise.all(Array.from({ length: 55 }, () => world.send(group, { sender: alice })))
    world.nowMs += 31 * DAY_MS
    const young = await world.send(group, { sender: alice })
    let removed = 0
    for (let more = true; more; ) {
      const turn = await world.store.sweep(world.nowMs)
      expect(turn.removed).toBeLessThanOrEqual(10)
      removed += turn.removed
      more = turn.more
    }
    // 57 entries; references: bob and carol 56 each, alice the commit; contacts: alice with both, and back.
    expect(removed).toBe(57 + 112 + 1 + 4)
    expect((await world.read(bob)).map(entry => entry.seq)).toEqual([young.accepted?.seq])
    expect((await world.store.sweep(world.nowMs)).removed).toBe(0)
  })

  test('[RELAY-1.22] a group that nobody is in goes with its last entry', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice)
    await world.send(group, { sender: alice, delivery: { kind: 'leave' } })
    const { nowMs } = world
    expect(await codeOf(world.store.createGroup(group, { creator: bob, nowMs }))).toBe('group-exists')
    world.nowMs += 31 * DAY_MS
    await world.sweep()
    expect(await world.store.createGroup(group, { creator: bob, nowMs })).toBe('created')
  })
}
