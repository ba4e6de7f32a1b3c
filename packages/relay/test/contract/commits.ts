// Commits: one winner an epoch, and membership that changes exactly there.
import { randomBytes } from 'node:crypto'
import { type AccountId, accountIdFromHash } from '@postern/protocol'
import { expect, test } from 'vitest'
import { idOf, newGroupId } from '../test-client.ts'
import { bytes, codeOf, type Get } from './world.ts'

export function commitRules(get: Get): void {
  test('[R8] a stale commit changes nothing, whatever it names', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob)
    expect(await world.commit(group, { sender: alice, epoch: 0, add: [carol] })).toEqual({
      accepted: undefined,
      epoch: 1,
    })
    // The winner may have added just whom the loser names, or removed.
    expect(await world.commit(group, { sender: alice, epoch: 0, add: [bob] })).toEqual({
      accepted: undefined,
      epoch: 1,
    })
    expect(await world.commit(group, { sender: alice, epoch: 0, remove: [carol] })).toMatchObject({ epoch: 1 })
    await world.send(group, { sender: alice })
    expect(await world.kinds(carol)).toEqual([])
    expect(await world.kinds(bob)).toEqual(['welcome', 'message'])
  })

  test('[R8] a commit ahead of the epoch is refused', async () => {
    const world = get()
    const [alice] = await world.people()
    const group = await world.chat(alice)
    expect(await world.commit(group, { sender: alice, epoch: 5 })).toEqual({ accepted: undefined, epoch: 1 })
  })

  test('[R9] of eight committers one wins each epoch', async () => {
    const world = get()
    const members = await world.crowd(8)
    const group = await world.chat(...members)
    const start = await world.head(members[1])
    for (let epoch = 1; epoch <= 10; epoch++) {
      const verdicts = await Promise.all(members.map(sender => world.commit(group, { sender, epoch })))
      expect(verdicts.filter(verdict => verdict.accepted)).toHaveLength(1)
      expect(new Set(verdicts.map(verdict => verdict.epoch))).toEqual(new Set([epoch + 1]))
    }
    expect(await world.kinds(members[1], start)).toEqual(Array(10).fill('commit'))
  })

  test('[R10] a resent commit is answered as accepted, and counts once', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice)
    const payload = randomBytes(40)
    const first = await world.commit(group, { sender: alice, epoch: 1, payload, add: [bob] })
    const again = await world.commit(group, { sender: alice, epoch: 1, payload, add: [bob] })
    expect(again.accepted).toEqual({ ...first.accepted, duplicate: true })
    expect((await world.store.getGroup(group, alice)).epoch).toBe(2)
    expect(await world.kinds(bob)).toEqual(['welcome'])
  })

  test('[R12] a commit reaches every member, its sender and those it removes included', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob, carol)
    await world.commit(group, { sender: alice, epoch: 1, remove: [carol] })
    expect(await world.kinds(alice)).toEqual(['commit', 'commit'])
    expect(await world.kinds(bob)).toEqual(['welcome', 'commit'])
    expect(await world.kinds(carol)).toEqual(['welcome', 'commit'])
  })
}

export function membershipRules(get: Get): void {
  test('[R11] joining and leaving cut exactly at the commit', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob)
    await world.send(group, { sender: alice })
    const commit = await world.commit(group, { sender: alice, epoch: 1, add: [carol], remove: [bob] })
    await world.send(group, { sender: alice, epoch: 2 })
    expect(await world.kinds(bob)).toEqual(['welcome', 'message', 'commit'])
    const entries = await world.read(carol)
    expect(entries.map(entry => entry.kind)).toEqual(['welcome', 'message'])
    const { ts, seq } = commit.accepted ?? {}
    expect(entries[0]).toMatchObject({ group, sender: alice, ts, seq, payload: Buffer.from('welcome') })
    const [, own] = await world.read(alice)
    expect(entries[0]?.cursor).toBeGreaterThan(own?.cursor ?? Number.MAX_SAFE_INTEGER)
  })

  test('[R11] one commit may remove and add the same account', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    await world.commit(group, { sender: alice, epoch: 1, add: [bob], remove: [bob] })
    await world.send(group, { sender: alice, epoch: 2 })
    expect(await world.kinds(bob)).toEqual(['welcome', 'commit', 'welcome', 'message'])
  })

  test('[R11] a commit that names people wrongly changes nothing', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob)
    const nobody = accountIdFromHash(randomBytes(32))
    const attempt = (change: { add?: AccountId[]; remove?: AccountId[] }) =>
      codeOf(world.commit(group, { sender: alice, epoch: 1, ...change }))
    expect(await attempt({ add: [nobody] })).toBe('account-not-found')
    await expect(world.commit(group, { sender: alice, epoch: 1, add: [nobody] })).rejects.toThrow(nobody)
    expect(await attempt({ add: [bob] })).toBe('bad-field')
    expect(await attempt({ add: [carol, carol] })).toBe('bad-field')
    expect(await attempt({ remove: [carol] })).toBe('not-a-member')
    expect(await attempt({ remove: [bob, bob] })).toBe('bad-field')
    expect(await attempt({ remove: [alice] })).toBe('bad-field')
    const withoutWelcome = { group, epoch: 1, sender: alice, payload: bytes('c'), add: [carol], remove: [] }
    const commit = { ...withoutWelcome, message: idOf(bytes('c')), welcome: undefined, nowMs: world.nowMs }
    expect(await codeOf(world.store.commit(commit))).toBe('bad-field')
    expect(await world.store.getGroup(group, alice)).toEqual({ epoch: 1, members: [alice, bob] })
  })

  test('[R19] a group starts at epoch 0 with its creator, and its id is taken', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = newGroupId()
    const { nowMs } = world
    expect(await world.store.createGroup(group, { creator: alice, nowMs })).toBe('created')
    expect(await world.store.createGroup(group, { creator: alice, nowMs })).toBe('exists')
    expect(await codeOf(world.store.createGroup(group, { creator: bob, nowMs }))).toBe('group-exists')
    expect(await world.store.getGroup(group, alice)).toEqual({ epoch: 0, members: [alice] })
  })

  test('[R25] a group has at most so many members', async () => {
    const world = get()
    const [alice, ...others] = await world.crowd(1001)
    // Known to alice, so that only the group's size is in the way.
    await Promise.all(others.map(async other => world.chat(other, alice)))
    const group = await world.chat(alice, ...others.slice(0, 998))
    const last = others.slice(998)
    expect(await codeOf(world.commit(group, { sender: alice, epoch: 1, add: last }))).toBe('group-full')
    expect((await world.commit(group, { sender: alice, epoch: 1, add: last.slice(1) })).accepted).toBeDefined()
    const swap = { sender: alice, epoch: 2, add: last.slice(0, 1), remove: last.slice(1) }
    expect((await world.commit(group, swap)).accepted).toBeDefined()
  })
}
