// New people: fifty a day, and answering is free.
import { type AccountId, isCoded } from '@postern/protocol'
import { expect, test } from 'vitest'
import { codeOf, DAY_MS, type Get, type Reopen, START_MS } from './world.ts'

export function newPeopleRules(get: Get, reopen: Reopen): void {
  test('[RELAY-1.16] fifty new people a day, also when they are added all at once', async () => {
    const world = get()
    const [alice, ...others] = await world.crowd(81)
    const attempts = await Promise.allSettled(others.map(other => world.chat(alice, other)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
    const late = others[60] as AccountId
    const met = others[attempts.findIndex(({ status }) => status === 'fulfilled')] as AccountId
    const error = await world.chat(alice, late).catch((thrown: unknown) => thrown)
    expect(isCoded(error, 'new-people-limit') && error.details).toEqual({
      limit: 50,
      retryAtMs: (Math.floor(START_MS / DAY_MS) + 1) * DAY_MS,
    })
    await world.chat(alice, met)
    world.nowMs += DAY_MS
    await world.chat(alice, late)
    await world.chat(alice, met)
  })

  test('[RELAY-1.16] over the limit nothing is changed, and a refused commit counts nobody', async () => {
    const world = await reopen({ newPeoplePerDay: 3 })
    const [alice, bob, ...others] = await world.crowd(7)
    const group = await world.chat(alice, bob)
    expect(await codeOf(world.commit(group, { sender: alice, epoch: 1, add: others.slice(0, 3) }))).toBe(
      'new-people-limit',
    )
    await world.commit(group, { sender: alice, epoch: 0, add: others.slice(0, 2) })
    expect(await world.store.getGroup(group, alice)).toEqual({ epoch: 1, members: [alice, bob] })
    expect((await world.commit(group, { sender: alice, epoch: 1, add: others.slice(0, 2) })).accepted).toBeDefined()
    expect(await codeOf(world.chat(alice, others[3] as AccountId))).toBe('new-people-limit')
  })

  test('[RELAY-1.59] how many new people are left: fewer with each stranger, none below 0, all on the next day', async () => {
    const world = await reopen({ newPeoplePerDay: 3 })
    const [alice, bob, ...others] = await world.crowd(5)
    const left = (account: AccountId) => world.store.newPeopleLeft(account, world.nowMs)
    expect(await left(alice)).toBe(3)
    const group = await world.chat(alice, bob)
    await world.chat(alice, bob)
    expect(await left(alice)).toBe(2)
    // Answering is free, and others' people do not count.
    await world.chat(bob, alice)
    expect(await left(bob)).toBe(3)
    expect(await codeOf(world.commit(group, { sender: alice, epoch: 1, add: others }))).toBe('new-people-limit')
    expect(await left(alice)).toBe(2)
    await world.chat(alice, ...others.slice(0, 2))
    expect(await left(alice)).toBe(0)
    world.nowMs += DAY_MS
    expect(await left(alice)).toBe(3)
    expect(await codeOf(left('a'.repeat(32) as AccountId))).toBe('account-not-found')
  })

  test('[RELAY-1.17] whom one was added by, and who wrote, may be answered freely', async () => {
    const world = await reopen({ newPeoplePerDay: 1 })
    const [alice, bob, carol, dave, erin] = await world.people()
    const group = await world.chat(bob, alice)
    await world.commit(group, { sender: alice, epoch: 1, add: [carol] })
    await codeOf(world.commit(group, { sender: carol, epoch: 2, add: [dave] }))
    await world.commit(group, { sender: dave, epoch: 3, add: [erin] })
    // alice has used up her day. bob added her; erin and dave wrote to her; carol was counted before.
    expect(await codeOf(world.chat(alice, dave))).toBe('new-people-limit')
    await world.send(group, { sender: dave, epoch: 4 })
    await world.chat(alice, dave)
    expect(await codeOf(world.chat(alice, erin))).toBe('new-people-limit')
    await world.send(group, { sender: erin, epoch: 4, delivery: { kind: 'direct', to: bob } })
    expect(await codeOf(world.chat(alice, erin))).toBe('new-people-limit')
    await world.send(group, { sender: erin, epoch: 4, delivery: { kind: 'direct', to: alice } })
    await world.chat(alice, bob, carol, dave, erin)
  })

  test('[RELAY-1.17] who joins later and is written to knows the writer too', async () => {
    const world = await reopen({ newPeoplePerDay: 1 })
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob)
    await world.send(group, { sender: alice })
    await world.commit(group, { sender: bob, epoch: 1, add: [carol] })
    const [zoe] = await world.people()
    await world.chat(carol, zoe)
    expect(await codeOf(world.chat(carol, alice))).toBe('new-people-limit')
    await world.send(group, { sender: alice, epoch: 2 })
    await world.chat(carol, alice)
  })
}
