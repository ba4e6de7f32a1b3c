// Commits: one winner per epoch, and membership that changes exactly there.
import { randomBytes } from 'node:crypto'
import { type AccountId, accountIdFromHash } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import { expect, test } from 'vitest'
import { idOf, newGroupId } from '../test-client.ts'
import { bytes, codeOf, type Get, type Reopen, type World } from './world.ts'

export function commitRules(get: Get): void {
  test('[RELAY-1.8] a stale commit changes nothing, whatever it names', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob)
    expect(await world.commit(group, { sender: alice, epoch: 0, add: [carol] })).toEqual({
      accepted: undefined,
      epoch: 1,
    })
    // The winner may have added or removed exactly the people whom the loser names.
    expect(await world.commit(group, { sender: alice, epoch: 0, add: [bob] })).toEqual({
      accepted: undefined,
      epoch: 1,
    })
    expect(await world.commit(group, { sender: alice, epoch: 0, remove: [carol] })).toMatchObject({ epoch: 1 })
    await world.send(group, { sender: alice })
    expect(await world.kinds(carol)).toEqual([])
    expect(await world.kinds(bob)).toEqual(['welcome', 'message'])
  })

  test('[RELAY-1.8] a commit ahead of the epoch is refused', async () => {
    const world = get()
    const [alice] = await world.people()
    const group = await world.chat(alice)
    expect(await world.commit(group, { sender: alice, epoch: 5 })).toEqual({ accepted: undefined, epoch: 1 })
  })

  test('[RELAY-1.9] of eight committers one wins each epoch', async () => {
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

  test('[RELAY-1.10] a resent commit is answered as accepted, and counts once', async () => {
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

  test('[RELAY-1.12] a commit reaches every member, its sender and those it removes included', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob, carol)
    await world.commit(group, { sender: alice, epoch: 1, remove: [carol] })
    expect(await world.kinds(alice)).toEqual(['commit', 'commit'])
    expect(await world.kinds(bob)).toEqual(['welcome', 'commit'])
    expect(await world.kinds(carol)).toEqual(['welcome', 'commit'])
  })
}

export function namedPeopleRules(get: Get, reopen: Reopen): void {
  const named = (entries: MailboxEntry[]) => entries.map(({ kind, added, removed }) => ({ kind, added, removed }))

  test('[RELAY-1.36] every reader of a commit is told whom its sender named, and of nothing else anybody', async () => {
    const world = get()
    const [alice, bob, carol, dave, erin] = await world.people()
    const group = await world.chat(alice, bob, carol)
    await world.send(group, { sender: carol, delivery: { kind: 'leave' } })
    await world.commit(group, { sender: alice, epoch: 1, add: [erin, dave, bob], remove: [carol, bob] })
    await world.send(group, { sender: alice, epoch: 2 })
    await world.send(group, { sender: alice, epoch: 2, delivery: { kind: 'direct', to: bob } })
    await world.commit(group, { sender: dave, epoch: 2 })
    const nobody = { added: [], removed: [] }
    expect(named(await world.read(bob))).toEqual([
      { kind: 'welcome', ...nobody },
      { kind: 'leave', ...nobody },
      { kind: 'commit', added: [erin, dave, bob], removed: [carol, bob] },
      { kind: 'welcome', ...nobody },
      { kind: 'message', ...nobody },
      { kind: 'direct', ...nobody },
      { kind: 'commit', ...nobody },
    ])
    expect(named(await world.read(alice))).toContainEqual({
      kind: 'commit',
      added: [erin, dave, bob],
      removed: [carol, bob],
    })
  })

  test('[RELAY-1.36] a resend that names others changes nothing of it, and a restart neither', async () => {
    const world = get()
    const [alice, bob, carol, dave] = await world.people()
    const group = await world.chat(alice, bob, carol)
    const payload = randomBytes(40)
    await world.commit(group, { sender: alice, epoch: 1, payload, remove: [carol] })
    const again = await world.commit(group, { sender: alice, epoch: 1, payload, add: [dave] })
    expect(again.accepted?.duplicate).toBe(true)
    const commit = { kind: 'commit', added: [], removed: [carol] }
    expect(named(await world.read(bob)).at(-1)).toEqual(commit)
    // After a reopening nothing is in memory, and with a limit of 0 nothing ever is.
    for (const limits of [{}, { recentEntriesBytesMax: 0 }]) {
      const opened = await reopen(limits)
      await opened.sweep()
      expect(named(await opened.read(bob)).at(-1)).toEqual(commit)
      expect(named(await opened.read(carol)).at(-1)).toEqual(commit)
    }
  })

  test('[RELAY-1.36] [RELAY-1.33] long lists count for the size of a page', async () => {
    const world = await reopen({ newPeoplePerDay: 1000 })
    const [alice, bob, ...others] = await world.crowd(500)
    const group = await world.chat(alice, bob)
    for (let round = 0; round < 4; round++) {
      await world.commit(group, { sender: alice, epoch: 1 + 2 * round, add: others })
      await world.commit(group, { sender: alice, epoch: 2 + 2 * round, remove: others })
    }
    const check = async ({ store }: World) => {
      const page = await store.readMailbox(bob, 0, { entriesMax: 100, bytesMax: 25_000 })
      expect(page).toMatchObject({ more: true })
      expect(page.entries.map(({ added, removed }) => added.length + removed.length)).toEqual([0, 498, 498])
    }
    await check(world)
    await check(await reopen({ recentEntriesBytesMax: 0 }))
  })
}

export function membershipRules(get: Get): void {
  test('[RELAY-1.11] joining and leaving cut exactly at the commit', async () => {
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

  test('[RELAY-1.11] one commit may remove and add the same account', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    await world.commit(group, { sender: alice, epoch: 1, add: [bob], remove: [bob] })
    await world.send(group, { sender: alice, epoch: 2 })
    expect(await world.kinds(bob)).toEqual(['welcome', 'commit', 'welcome', 'message'])
  })

  test('[RELAY-1.11] a commit that names people wrongly changes nothing', async () => {
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

  test('[RELAY-1.19] a group starts at epoch 0 with its creator, and its id is taken', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = newGroupId()
    const { nowMs } = world
    expect(await world.store.createGroup(group, { creator: alice, nowMs })).toBe('created')
    expect(await world.store.createGroup(group, { creator: alice, nowMs })).toBe('exists')
    expect(await codeOf(world.store.createGroup(group, { creator: bob, nowMs }))).toBe('group-exists')
    expect(await world.store.getGroup(group, alice)).toEqual({ epoch: 0, members: [alice] })
  })

  test('[RELAY-1.29] a group has at most so many members', async () => {
    const world = get()
    const [alice, ...others] = await world.crowd(1001)
    // Known to alice, so that only the group's size can be refused.
    await Promise.all(others.map(async other => world.chat(other, alice)))
    const group = await world.chat(alice, ...others.slice(0, 998))
    const last = others.slice(998)
    expect(await codeOf(world.commit(group, { sender: alice, epoch: 1, add: last }))).toBe('group-full')
    expect((await world.commit(group, { sender: alice, epoch: 1, add: last.slice(1) })).accepted).toBeDefined()
    const swap = { sender: alice, epoch: 2, add: last.slice(0, 1), remove: last.slice(1) }
    expect((await world.commit(group, swap)).accepted).toBeDefined()
  })
}
