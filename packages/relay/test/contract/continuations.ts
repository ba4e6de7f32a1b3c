// A group that continues another: its people move along, and nobody else, and nobody can be contacted alone.
import type { AccountId } from '@postern/protocol'
import { expect, test } from 'vitest'
import { newGroupId } from '../test-client.ts'
import { codeOf, DAY_MS, type Get, type Reopen } from './world.ts'

const LIMIT = 'new-people-limit'

export function continuationRules(get: Get, reopen: Reopen): void {
  comingAlong(get, reopen)
  aWayToNobodyAlone(reopen)
}

/** Bob created the group; alice has met none of the others, and may meet one. */
async function bigGroup(reopen: Reopen) {
  const world = await reopen({ newPeoplePerDay: 3 })
  const [bob, alice, ...others] = await world.crowd(8)
  const people = others as [AccountId, AccountId, AccountId, AccountId, AccountId, AccountId]
  const group = await world.chat(bob, alice, people[0], people[1])
  await world.commit(group, { sender: people[0], epoch: 1, add: people.slice(2, 5) })
  const strangers = await world.crowd(2)
  await world.chat(alice, ...strangers)
  return { world, group, bob, alice, people, stranger: people[5] }
}

function comingAlong(get: Get, reopen: Reopen): void {
  test('[RELAY-1.37] who is in the group, was put out of it or has left it comes along without counting', async () => {
    const { world, group, bob, alice, people } = await bigGroup(reopen)
    await world.send(group, { sender: people[1], epoch: 2, delivery: { kind: 'leave' } })
    // The hostile commit: mallory removes all but one, including the person who will continue the group.
    const mallory = people[4]
    await world.commit(group, { sender: mallory, epoch: 2, remove: [bob, alice, people[0], people[1], people[2]] })
    const next = await world.continuation(group, alice)
    const all = [bob, ...people.slice(0, 4)]
    expect((await world.commit(next, { sender: alice, epoch: 0, add: all })).accepted).toBeDefined()
    expect((await world.store.getGroup(next, alice)).members).toHaveLength(6)
    // They do not count as met: she may meet exactly one more person today.
    expect(await codeOf(world.chat(alice, people[0], people[2]))).toBe(LIMIT)
    await world.chat(alice, people[5])
    expect(await codeOf(world.chat(alice, people[0]))).toBe(LIMIT)
  })

  test('[RELAY-1.37] also after a restart, those who had no key package at first and those who are healed', async () => {
    const { group, alice, people } = await bigGroup(reopen)
    const world = await reopen({ newPeoplePerDay: 2 })
    const next = await world.continuation(group, alice)
    await world.commit(next, { sender: alice, epoch: 0, add: people.slice(0, 2) })
    const again = await reopen({ newPeoplePerDay: 2 })
    const [first, , third] = people
    await again.commit(next, { sender: alice, epoch: 1, add: [first, third], remove: [first] })
    await again.commit(next, { sender: alice, epoch: 2, add: [people[3]] })
    expect((await again.store.getGroup(next, alice)).members).toHaveLength(5)
  })

  test('[RELAY-1.37] for thirty days after they went, whatever is swept meanwhile', async () => {
    const { world, group, bob, alice, people } = await bigGroup(reopen)
    await world.commit(group, { sender: bob, epoch: 2, remove: people.slice(0, 5) })
    world.nowMs += 29 * DAY_MS
    await world.sweep()
    const next = await world.continuation(group, alice)
    await world.commit(next, { sender: alice, epoch: 0, add: people.slice(0, 4) })
    world.nowMs += 2 * DAY_MS
    const late = await reopen({ newPeoplePerDay: 0 })
    late.nowMs = world.nowMs
    expect(await codeOf(late.commit(next, { sender: alice, epoch: 1, add: [people[4]] }))).toBe(LIMIT)
    await late.sweep()
    expect(await codeOf(late.commit(next, { sender: alice, epoch: 1, add: [people[4]] }))).toBe(LIMIT)
  })

  test('[RELAY-1.38] a group that one never was in cannot be carried on, and looks like one that does not exist', async () => {
    const world = get()
    const [alice, bob, mallory] = await world.people()
    const theirs = await world.chat(alice, bob)
    const none = newGroupId()
    const asked = (continues: typeof none) => world.continuation(continues, mallory).catch((error: unknown) => error)
    const [known, unknown] = [await asked(theirs), await asked(none)]
    expect(known).toMatchObject({ code: 'group-unknown' })
    expect(known).toEqual(unknown)
    // Nothing was created: the id is free for anyone.
    const group = newGroupId()
    const { nowMs } = world
    expect(await codeOf(world.store.createGroup(group, { creator: mallory, continues: theirs, nowMs }))).toBe(
      'group-unknown',
    )
    expect(await world.store.createGroup(group, { creator: alice, continues: theirs, nowMs })).toBe('created')
    expect(await world.store.createGroup(group, { creator: alice, continues: theirs, nowMs })).toBe('exists')
  })

  test('[RELAY-1.38] nor one that one was put out of long ago', async () => {
    const world = get()
    const [alice, bob, mallory] = await world.people()
    const group = await world.chat(alice, bob, mallory)
    const early = await world.continuation(group, mallory)
    await world.commit(group, { sender: alice, epoch: 1, remove: [mallory] })
    world.nowMs += 31 * DAY_MS
    expect(await codeOf(world.continuation(group, mallory))).toBe('group-unknown')
    const later = await reopen({ newPeoplePerDay: 0 })
    later.nowMs = world.nowMs
    expect(await codeOf(later.commit(early, { sender: mallory, epoch: 0, add: [bob] }))).toBe(LIMIT)
  })
}

function aWayToNobodyAlone(reopen: Reopen): void {
  test('[RELAY-1.39] only the creator takes people along, and only those of the old group', async () => {
    const { world, group, alice, people, stranger } = await bigGroup(reopen)
    const next = await world.continuation(group, alice)
    const others = await world.crowd(3)
    expect(await codeOf(world.commit(next, { sender: alice, epoch: 0, add: [people[0], stranger, ...others] }))).toBe(
      LIMIT,
    )
    await world.commit(next, { sender: alice, epoch: 0, add: [people[3]] })
    await world.chat(people[3], ...others)
    expect(await codeOf(world.commit(next, { sender: people[3], epoch: 1, add: [people[2]] }))).toBe(LIMIT)
  })

  test('[RELAY-1.39] a second group for the same one is an ordinary group, also when both come in one turn', async () => {
    const { world, group, alice, people } = await bigGroup(reopen)
    await world.chat(alice, people[5])
    const first = newGroupId()
    const second = newGroupId()
    const { nowMs } = world
    const by = { creator: alice, continues: group, nowMs }
    await Promise.all([
      world.store.createGroup(first, by),
      world.commit(first, { sender: alice, epoch: 0, add: [people[0]] }),
      world.store.createGroup(second, by),
    ])
    expect(await codeOf(world.commit(second, { sender: alice, epoch: 0, add: [people[1]] }))).toBe(LIMIT)
    expect((await world.commit(first, { sender: alice, epoch: 1, add: [people[1]] })).accepted).toBeDefined()
  })

  test('[RELAY-1.39] a first one to which nobody was added gives its place to the second', async () => {
    const { world, group, alice, people } = await bigGroup(reopen)
    await world.chat(alice, people[5])
    const lost = await world.continuation(group, alice)
    const next = await world.continuation(group, alice)
    expect((await world.commit(next, { sender: alice, epoch: 0, add: [people[0]] })).accepted).toBeDefined()
    expect(await codeOf(world.commit(lost, { sender: alice, epoch: 0, add: [people[1]] }))).toBe(LIMIT)
  })

  test('[RELAY-1.39] once somebody was put out of it, it is an ordinary group: nobody is taken in and out in turn', async () => {
    const { world, group, alice, people } = await bigGroup(reopen)
    await world.chat(alice, people[5])
    const next = await world.continuation(group, alice)
    await world.commit(next, { sender: alice, epoch: 0, add: [people[0]] })
    await world.commit(next, { sender: alice, epoch: 1, remove: [people[0]] })
    expect(await codeOf(world.commit(next, { sender: alice, epoch: 2, add: [people[1]] }))).toBe(LIMIT)
    // This also uses up its place.
    const another = await world.continuation(group, alice)
    expect(await codeOf(world.commit(another, { sender: alice, epoch: 0, add: [people[1]] }))).toBe(LIMIT)
  })

  test('[RELAY-1.39] a group whose number was given to another passes nothing on to it', async () => {
    const { world, alice, people } = await bigGroup(reopen)
    await world.chat(alice, people[5])
    const old = await world.chat(people[1], alice)
    const next = await world.continuation(old, alice)
    for (const sender of [alice, people[1]]) await world.send(old, { sender, delivery: { kind: 'leave' } })
    await world.send(next, { sender: alice, epoch: 0, delivery: { kind: 'leave' } })
    world.nowMs += 31 * DAY_MS
    await world.sweep()
    const later = await reopen({ newPeoplePerDay: 2 })
    later.nowMs = world.nowMs
    await later.chat(people[1], alice, people[2])
    const group = newGroupId()
    await later.store.createGroup(group, { creator: alice, nowMs: later.nowMs })
    await later.chat(alice, people[3], people[4])
    expect(await codeOf(later.commit(group, { sender: alice, epoch: 0, add: [people[2]] }))).toBe(LIMIT)
  })
}
