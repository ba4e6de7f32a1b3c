// Honest members who put right what an attacker has done, at once or too late: none undoes what another did, and an admin's word holds.
import type { ChatId } from '@postern/protocol'
import { HostileRelay, type Person, WITHIN, World } from '@postern/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { noteRepair, repairLists, waitingRepairs } from '../../src/chats/repair-lists.ts'
import { endGroup, findGroup } from '../../src/groups/group-records.ts'
import { attacks } from './history-attacks.ts'
import { HurriedClock } from './hurried-clock.ts'
import { coreOf, deadlineOf, groupOf } from './modified-client.ts'
import { castTeam } from './team.ts'

let world: World
let clock: HurriedClock
let alice: Person
let bob: Person
let carol: Person
let mallory: Person
let chat: ChatId

beforeAll(async () => {
  world = await World.start({ relayLimits: { newPeoplePerDay: 1000 } })
  clock = new HurriedClock()
})
afterAll(async () => {
  clock.stop()
  await world.stop()
})

beforeEach(async () => {
  ;({ alice, bob, carol, mallory, chat } = await castTeam(world, { clock }))
})

const attack = async (name: string) => await attacks[name]?.(mallory, { chat, victim: bob.id, stranger: carol.id })
const membersFor = (person: Person) => person.client.chat(chat).members.map(member => member.id)
const statusFor = (person: Person) => findGroup(coreOf(person).store, groupOf(person, chat))?.status
const repairBy = (person: Person) => repairLists(coreOf(person), groupOf(person, chat), deadlineOf(person))
const membersAtRelay = async (group = groupOf(alice, chat)) =>
  (await coreOf(carol).link.call('getGroup', { group })).members

describe('[CORE-14.8] lists at the relay', () => {
  test('are put right by several at once, and nobody fails by what another has done', async () => {
    await attack('cuts somebody off by the list')
    for (const person of [alice, carol]) await person.next('notice', event => event.notice.code === 'cut_off')
    await Promise.all([alice, carol, mallory].map(repairBy))
    expect(await membersAtRelay()).toContain(bob.id)
    await expect.poll(() => statusFor(bob)).toBe('open')
  })

  test('are left as they are for who has said farewell', async () => {
    await bob.client.leaveGroup(chat, WITHIN)
    await alice.next('notice', event => event.notice.code === 'left')
    await repairBy(alice)
    expect(await membersAtRelay()).not.toContain(bob.id)
    expect(bob.client.chat(chat).state).toBe('left')
  })

  test('of a group that is dead are left alone: nobody’s key packages are used up for it', async () => {
    const core = coreOf(alice)
    const group = groupOf(alice, chat)
    await core.store.write(database => {
      noteRepair(core, database, group)
      endGroup(database, group, { nowMs: clock.nowMs(), offender: mallory.id })
    })
    expect(waitingRepairs(core)).toEqual([])
  })
})

describe('[CORE-14.34] a group that is carried on at the wrong moment', () => {
  test('keeps nobody whom an admin has removed in that moment', async () => {
    const before = groupOf(alice, chat)
    alice.wire.hold()
    await attack('carries on with all')
    await expect.poll(() => groupOf(bob, chat)).not.toBe(before)
    const removing = alice.client.removeMembers(chat, [mallory.id], WITHIN)
    await expect.poll(() => membersAtRelay(before)).not.toContain(mallory.id)
    alice.wire.release()
    await removing
    expect(groupOf(alice, chat)).toBe(groupOf(bob, chat))
    for (const person of [alice, bob, carol]) await expect.poll(() => membersFor(person)).not.toContain(mallory.id)
  })

  test('is no refuge for who breaks the rules in the group before it', async () => {
    const before = groupOf(alice, chat)
    await attack('carries on with all')
    const honest = [alice, bob, carol]
    for (const person of honest) await expect.poll(() => groupOf(person, chat)).not.toBe(before)
    await attack('names itself admin')
    for (const person of honest) await person.next('notice', event => event.notice.code === 'refused')
    for (const person of honest) {
      await expect.poll(() => membersFor(person).toSorted()).toEqual(honest.map(({ id }) => id).toSorted())
      await expect.poll(() => statusFor(person)).toBe('open')
    }
  })
})

test('[CORE-14.34] nor when somebody who has not heard of it yet changes the new group', async () => {
  const before = groupOf(alice, chat)
  await attack('carries on with all')
  const honest = [alice, bob, carol]
  for (const person of honest) await expect.poll(() => groupOf(person, chat)).not.toBe(before)
  const after = groupOf(alice, chat)
  const epochAtRelay = async () => (await coreOf(carol).link.call('getGroup', { group: after })).epoch
  const epoch = await epochAtRelay()
  bob.wire.hold()
  await attack('names itself admin')
  const renaming = bob.client.renameGroup(chat, 'not heard of it yet', WITHIN)
  await expect.poll(epochAtRelay).toBeGreaterThan(epoch)
  bob.wire.release()
  await renaming
  for (const person of honest) await expect.poll(() => membersFor(person)).not.toContain(mallory.id)
})

describe('[CORE-14.36] who has lost its keys', () => {
  test('believes an admin what has changed since, and nobody else', async () => {
    const relay = new HostileRelay(bob.wire)
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, payload: entry.payload.slice(0, 80) })))
    const removing = alice.client.removeMembers(chat, [mallory.id], WITHIN)
    await expect.poll(() => statusFor(bob)).toBe('broken')
    await removing
    // Of those whom bob asks, carol alone is there.
    alice.wire.cut()
    relay.repent()
    const { notice } = await bob.next('notice', event => event.notice.code === 'refused')
    expect(notice).toMatchObject({ from: { id: carol.id } })
    expect(membersFor(bob)).toContain(mallory.id)
    alice.wire.mend()
    await expect.poll(() => membersFor(bob)).not.toContain(mallory.id)
    await expect.poll(() => statusFor(bob)).toBe('open')
    expect(groupOf(bob, chat)).toBe(groupOf(alice, chat))
  })
})
