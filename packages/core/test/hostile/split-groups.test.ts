// Honest members who repair an attacker's changes, concurrently or too late:
// none undoes another's repair, and an admin's change holds.
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { noteRepair, repairRosters, waitingRepairs } from '../../src/chats/members/repair-rosters.ts'
import { endGroup, findGroup } from '../../src/groups/group-records.ts'
import { test as base } from './fixtures.ts'
import { attacks } from './history-attacks.ts'
import { coreOf, deadlineOf, groupOf } from './modified-client.ts'

const test = base
  .extend(
    'attack',
    ({ bob, carol, mallory, chat }) =>
      async (name: string) =>
        await attacks[name]?.(mallory, { chat, victim: bob.id, stranger: carol.id }),
  )
  .extend(
    'membersFor',
    ({ chat }) =>
      (person: TestPerson) =>
        person.client.chats.get(chat).members.map(member => member.id),
  )
  .extend(
    'statusFor',
    ({ chat }) =>
      (person: TestPerson) =>
        findGroup(coreOf(person).store, groupOf(person, chat))?.status,
  )
  .extend(
    'repairBy',
    ({ chat }) =>
      (person: TestPerson) =>
        repairRosters(coreOf(person), groupOf(person, chat), deadlineOf(person)),
  )
  .extend(
    'membersAtRelay',
    ({ alice, carol, chat }) =>
      async (group = groupOf(alice, chat)) =>
        (await coreOf(carol).link.call('getGroup', { group })).members,
  )

describe('[CORE-14.8] lists at the relay', () => {
  test('are put right by several at once, and nobody fails by what another has done', async ({
    alice,
    bob,
    carol,
    mallory,
    attack,
    repairBy,
    membersAtRelay,
    statusFor,
  }) => {
    await attack('cuts somebody off by the list')
    for (const person of [alice, carol]) await person.next('notice', event => event.notice.code === 'cut_off')
    await Promise.all([alice, carol, mallory].map(repairBy))
    expect(await membersAtRelay()).toContain(bob.id)
    await expect.poll(() => statusFor(bob)).toBe('open')
  })

  test('are left as they are for who has said farewell', async ({ alice, bob, chat, repairBy, membersAtRelay }) => {
    await bob.client.chats.leaveGroup(chat, WITHIN)
    await alice.next('notice', event => event.notice.code === 'left')
    await repairBy(alice)
    expect(await membersAtRelay()).not.toContain(bob.id)
    expect(bob.client.chats.get(chat).state).toBe('left')
  })

  test('of a group that is dead are left alone: nobody’s key packages are used up for it', async ({
    clock,
    alice,
    mallory,
    chat,
  }) => {
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
  test('keeps nobody whom an admin has removed in that moment', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    attack,
    membersAtRelay,
    membersFor,
  }) => {
    const before = groupOf(alice, chat)
    alice.wire.hold()
    await attack('carries on with all')
    await expect.poll(() => groupOf(bob, chat)).not.toBe(before)
    const removing = alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
    await expect.poll(() => membersAtRelay(before)).not.toContain(mallory.id)
    alice.wire.release()
    await removing
    expect(groupOf(alice, chat)).toBe(groupOf(bob, chat))
    for (const person of [alice, bob, carol]) await expect.poll(() => membersFor(person)).not.toContain(mallory.id)
  })

  test('is no refuge for who breaks the rules in the group before it', async ({
    alice,
    bob,
    carol,
    chat,
    attack,
    membersFor,
    statusFor,
  }) => {
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

test('[CORE-14.33] two members who break the rules in two groups of the chat at one moment are both out', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  attack,
  membersFor,
  statusFor,
}) => {
  const before = groupOf(alice, chat)
  await attack('carries on with all')
  const honest = [alice, bob]
  for (const person of [...honest, carol]) await expect.poll(() => groupOf(person, chat)).not.toBe(before)
  // Both proofs arrive before anybody carries the chat on.
  for (const person of honest) person.wire.hold()
  await attacks['changes the type']?.(carol, { chat, victim: bob.id, stranger: bob.id })
  await attack('names itself admin')
  for (const person of honest) person.wire.release()
  for (const person of honest)
    for (const offender of [carol, mallory])
      await person.next('notice', ({ notice }) => notice.code === 'refused' && notice.from?.id === offender.id)
  for (const person of honest) {
    await expect.poll(() => membersFor(person).toSorted()).toEqual(honest.map(({ id }) => id).toSorted())
    await expect.poll(() => statusFor(person)).toBe('open')
  }
})

test('[CORE-14.34] nor when somebody who has not heard of it yet changes the new group', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  attack,
  membersFor,
}) => {
  const before = groupOf(alice, chat)
  await attack('carries on with all')
  const honest = [alice, bob, carol]
  for (const person of honest) await expect.poll(() => groupOf(person, chat)).not.toBe(before)
  const after = groupOf(alice, chat)
  const epochAtRelay = async () => (await coreOf(carol).link.call('getGroup', { group: after })).epoch
  const epoch = await epochAtRelay()
  bob.wire.hold()
  await attack('names itself admin')
  const renaming = bob.client.chats.renameGroup(chat, 'not heard of it yet', WITHIN)
  await expect.poll(epochAtRelay).toBeGreaterThan(epoch)
  bob.wire.release()
  await renaming
  for (const person of honest) await expect.poll(() => membersFor(person)).not.toContain(mallory.id)
})

describe('[CORE-14.36] who has lost its keys', () => {
  test('believes an admin what has changed since, and nobody else', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    statusFor,
    membersFor,
  }) => {
    const relay = new HostileRelay(bob.wire)
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, payload: entry.payload.slice(0, 80) })))
    const removing = alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
    await expect.poll(() => statusFor(bob)).toBe('broken')
    await removing
    // Carol is the only one of the members bob asks that is there.
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
