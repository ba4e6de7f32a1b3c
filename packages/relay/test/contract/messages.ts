// Messages: once, in one order, at the group's epoch only, to their recipients.
import { randomBytes } from 'node:crypto'
import { accountIdFromHash } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import { expect, test } from 'vitest'
import { idOf, newGroupId } from '../test-client.ts'
import { codeOf, type Get } from './world.ts'

export function messageRules(get: Get): void {
  test('[RELAY-1.2] a resend with one id is one message', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const payload = randomBytes(40)
    const first = await world.send(group, { sender: alice, payload })
    world.nowMs += 5000
    const again = await world.send(group, { sender: alice, payload })
    expect(first.accepted?.duplicate).toBe(false)
    expect(again).toEqual({ ...first, accepted: { ...first.accepted, duplicate: true } })
    expect(await world.kinds(bob)).toEqual(['welcome', 'message'])
    const next = await world.send(group, { sender: alice })
    expect(next.accepted?.seq).toBe((first.accepted?.seq ?? 0) + 1)
  })

  test('[RELAY-1.2] concurrent resends of one id are one message', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const payload = randomBytes(40)
    const verdicts = await Promise.all(Array.from({ length: 10 }, () => world.send(group, { sender: alice, payload })))
    expect(new Set(verdicts.map(verdict => verdict.accepted?.seq)).size).toBe(1)
    expect(verdicts.filter(verdict => verdict.accepted?.duplicate === false)).toHaveLength(1)
    expect(await world.kinds(bob)).toEqual(['welcome', 'message'])
  })

  test('[RELAY-1.2] a resend is accepted whatever the epoch is by then, and also when its sender has left', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const payload = randomBytes(40)
    const first = await world.send(group, { sender: bob, payload })
    await world.commit(group, { sender: alice, epoch: 1 })
    const later = await world.send(group, { sender: bob, payload })
    expect(later.accepted).toEqual({ ...first.accepted, duplicate: true })
    expect(later.epoch).toBe(2)

    const farewell = randomBytes(40)
    const leaving = { sender: bob, payload: farewell, epoch: 2, delivery: { kind: 'leave' } } as const
    await world.send(group, leaving)
    expect((await world.send(group, leaving)).accepted?.duplicate).toBe(true)
    expect((await world.store.outcome(idOf(farewell), { group, by: bob })).accepted?.duplicate).toBe(true)
  })

  test('[RELAY-1.2] the outcome of a message can be asked for', async () => {
    const world = get()
    const [alice, bob, mallory] = await world.people()
    const group = await world.chat(alice, bob)
    const payload = randomBytes(40)
    expect(await world.store.outcome(idOf(payload), { group, by: alice })).toEqual({ accepted: undefined, epoch: 1 })
    const { accepted } = await world.send(group, { sender: alice, payload })
    expect((await world.store.outcome(idOf(payload), { group, by: alice })).accepted).toEqual({
      ...accepted,
      duplicate: true,
    })
    expect(await codeOf(world.store.outcome(idOf(payload), { group, by: mallory }))).toBe('group-unknown')
  })

  test('[RELAY-1.3] all members see one order, with rising seq and ts, also when the clock goes back', async () => {
    const world = get()
    const [alice, bob, carol, dave] = await world.people()
    const group = await world.chat(alice, bob, carol, dave)
    const sends = Array.from({ length: 60 }, (_, at) => {
      world.nowMs += at % 3 === 0 ? -50 : 1
      return world.send(group, { sender: at % 2 ? alice : bob })
    })
    const accepted = (await Promise.all(sends)).map(verdict => verdict.accepted)
    const readers = await Promise.all([carol, dave].map(async reader => (await world.read(reader)).slice(1)))
    const [first, second] = readers as [MailboxEntry[], MailboxEntry[]]
    expect(first).toEqual(second)
    expect(first.map(entry => entry.seq)).toEqual(accepted.map(one => one?.seq))
    expect(first.map(entry => entry.ts)).toEqual(accepted.map(one => one?.ts))
    for (const [at, entry] of first.entries()) {
      expect(entry.seq).toBe(at + 2)
      expect(entry.ts).toBeGreaterThan(first[at - 1]?.ts ?? 0)
    }
  })

  test('[RELAY-1.7] a message for another epoch is refused and is not in the log', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    for (const epoch of [0, 2]) {
      const payload = randomBytes(40)
      expect(await world.send(group, { sender: alice, epoch, payload })).toEqual({ accepted: undefined, epoch: 1 })
      expect((await world.store.outcome(idOf(payload), { group, by: alice })).accepted).toBeUndefined()
    }
    const next = await world.send(group, { sender: alice })
    expect(next.accepted?.seq).toBe(2)
    expect(await world.kinds(bob)).toEqual(['welcome', 'message'])
  })

  test('[RELAY-1.12] a direct message is for one member, and has its place in the order', async () => {
    const world = get()
    const [alice, bob, carol, mallory] = await world.people()
    const group = await world.chat(alice, bob, carol)
    await world.send(group, { sender: alice })
    const direct = await world.send(group, { sender: alice, delivery: { kind: 'direct', to: carol } })
    await world.send(group, { sender: alice })
    expect(direct.accepted?.seq).toBe(3)
    expect(await world.kinds(bob)).toEqual(['welcome', 'message', 'message'])
    expect(await world.kinds(carol)).toEqual(['welcome', 'message', 'direct', 'message'])
    expect(await world.kinds(alice)).toEqual(['commit'])
    const toMallory = world.send(group, { sender: alice, delivery: { kind: 'direct', to: mallory } })
    expect(await codeOf(toMallory)).toBe('not-a-member')
    const toNobody = { kind: 'direct', to: accountIdFromHash(randomBytes(32)) } as const
    expect(await codeOf(world.send(group, { sender: alice, delivery: toNobody }))).toBe('not-a-member')
  })

  test('[RELAY-1.13] who leaves gets nothing more and may send nothing more', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob, carol)
    await world.send(group, { sender: bob, delivery: { kind: 'leave' } })
    await world.send(group, { sender: alice })
    expect(await codeOf(world.send(group, { sender: bob }))).toBe('group-unknown')
    expect(await codeOf(world.commit(group, { sender: bob, epoch: 1 }))).toBe('group-unknown')
    expect(await world.kinds(bob)).toEqual(['welcome'])
    expect(await world.kinds(carol)).toEqual(['welcome', 'leave', 'message'])
    expect((await world.store.getGroup(group, alice)).members.toSorted()).toEqual([alice, carol].toSorted())
    const removal = await world.commit(group, { sender: alice, epoch: 1, remove: [bob] })
    expect(removal.accepted).toBeDefined()
    expect(await codeOf(world.commit(group, { sender: alice, epoch: 2, remove: [bob] }))).toBe('not-a-member')
    await world.commit(group, { sender: alice, epoch: 2, add: [bob] })
    expect(await world.kinds(bob)).toEqual(['welcome', 'welcome'])
  })

  test('[RELAY-1.18] a send to no group is refused and harms no other send', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const sends = await Promise.allSettled([
      world.send(group, { sender: alice }),
      world.send(newGroupId(), { sender: alice }),
      world.commit(group, { sender: alice, epoch: 1, add: [accountIdFromHash(randomBytes(32))] }),
      world.send(group, { sender: alice }),
    ])
    expect(sends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(await world.kinds(bob)).toEqual(['welcome', 'message', 'message'])
  })

  test('[RELAY-1.20] to who is not a member a group looks as if it did not exist', async () => {
    const world = get()
    const [alice, mallory] = await world.people()
    const group = await world.chat(alice)
    const payload = randomBytes(40)
    await world.send(group, { sender: alice, payload, epoch: 1 })
    expect(await codeOf(world.send(group, { sender: mallory, epoch: 0 }))).toBe('group-unknown')
    expect(await codeOf(world.send(group, { sender: mallory, payload, epoch: 0 }))).toBe('group-unknown')
    expect(await codeOf(world.commit(group, { sender: mallory, epoch: 0 }))).toBe('group-unknown')
    expect(await codeOf(world.store.getGroup(group, mallory))).toBe('group-unknown')
    expect(await codeOf(world.store.getGroup(newGroupId(), alice))).toBe('group-unknown')
  })
}
