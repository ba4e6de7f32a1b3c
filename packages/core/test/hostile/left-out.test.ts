// A new group leaves a member out, and a member that missed this group carries the chat on with everybody.
import { GROUP_ID_BYTES, groupIdFromBytes } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { returnedTo } from '../../src/chats/records/removals.ts'
import { findGroup } from '../../src/groups/group-records.ts'
import { test } from './carrying-on.ts'
import { attacks } from './history-attacks.ts'
import { coreOf, groupOf, openForged } from './modified-client.ts'
import { adminsFor, codesOf, expectAllHear, groupSettings, ids, membersFor, sayWhenHealed } from './team.ts'

test('[CORE-14.53] a member that an admin left out is out again when a member that missed it carries the group on', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  readNothing,
  expectSettled,
}) => {
  const honest = [alice, bob, carol]
  const read = readNothing(carol)
  await carryOnWith(alice, honest)
  await expect.poll(() => groupOf(bob, chat)).toBe(groupOf(alice, chat))
  const without = groupOf(alice, chat)
  const carrying = carryOnWith(carol, [...honest, mallory], 2)
  await expect.poll(() => groupOf(alice, chat)).not.toBe(without)
  // The first message after it is not for mallory either.
  await sayWhenHealed(alice, chat, 'among us')
  read()
  await carrying
  await expectSettled(honest, honest)
  await expectAllHear(chat, honest)
  expect(coreOf(mallory).store.all(`SELECT 1 FROM message WHERE body LIKE '%among us%'`)).toEqual([])
})

test('[CORE-14.53] another admin that has followed the group does so when the one that made it is away', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  readNothing,
  expectSettled,
}) => {
  const honest = [alice, bob, carol]
  await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, WITHIN)
  for (const person of [bob, carol]) await expect.poll(() => adminsFor(person, chat)).toHaveLength(2)
  const read = readNothing(carol)
  await carryOnWith(alice, honest)
  await expect.poll(() => groupOf(bob, chat)).toBe(groupOf(alice, chat))
  alice.wire.hold()
  const carrying = carryOnWith(carol, [...honest, mallory], 2)
  await expect.poll(() => findGroup(coreOf(bob).store, groupOf(bob, chat))?.generation).toBe(2)
  read()
  await carrying
  await expectSettled([bob, carol], honest)
  alice.wire.release()
  await expectSettled(honest, honest)
})

test('[CORE-14.53] a member that a commit removed while an admin had lost the keys is out again, too', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  readNothing,
  expectSettled,
}) => {
  const honest = [alice, bob, carol]
  await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, WITHIN)
  for (const person of honest) await expect.poll(() => adminsFor(person, chat)).toHaveLength(2)
  const first = groupOf(bob, chat)
  alice.wire.cut()
  const read = readNothing(carol)
  await attacks['adds somebody anew with a spoilt welcome']?.(mallory, { chat, victim: alice.id, stranger: alice.id })
  await bob.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  alice.wire.mend()
  await expect.poll(() => membersFor(alice, chat)).toEqual(ids(honest))
  await expect.poll(() => findGroup(coreOf(alice).store, first)?.status).toBe('open')
  bob.wire.hold()
  const carrying = carryOnWith(carol, [...honest, mallory])
  await expect.poll(() => findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(1)
  read()
  await carrying
  await expectSettled([alice, carol], honest)
  bob.wire.release()
  await expectSettled(honest, honest)
})

test('[CORE-14.53] a member whom the maker of the next group brings back knowingly stays', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  expectSettled,
}) => {
  const honest = [alice, bob, carol]
  await carryOnWith(alice, honest)
  for (const person of [bob, carol]) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(alice, chat))
  await carryOnWith(carol, [...honest, mallory])
  await expectSettled(honest, [...honest, mallory])
  await expectAllHear(chat, honest)
  await expectSettled(honest, [...honest, mallory])
})

test('[CORE-14.53] a member whom somebody adds to the new group stays, whoever carries the chat on', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  readNothing,
  expectSettled,
}) => {
  const honest = [alice, bob, carol]
  const everybody = [...honest, mallory]
  const read = readNothing(carol)
  await carryOnWith(alice, honest)
  await expect.poll(() => groupOf(bob, chat)).toBe(groupOf(alice, chat))
  await bob.client.chats.addMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(alice, chat)).toEqual(ids(everybody))
  const carrying = carryOnWith(carol, everybody, 2)
  await expect.poll(() => findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(2)
  read()
  await carrying
  await expectAllHear(chat, honest)
  await expectSettled(honest, everybody)
})

test('[CORE-14.53] a newcomer that the maker of a group could not know is not left out by it', async ({
  clock,
  world,
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  readNothing,
  expectSettled,
}) => {
  const everybody = [alice, bob, carol, mallory]
  await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, WITHIN)
  for (const person of [bob, carol]) await expect.poll(() => adminsFor(person, chat)).toHaveLength(2)
  const dave = await world.person(`dave of ${alice.name}`, { clock })
  const readAsAlice = readNothing(alice)
  await carol.client.chats.addMembers(chat, [dave.id], WITHIN)
  await expect.poll(() => membersFor(bob, chat)).toContain(dave.id)
  const readAsCarol = readNothing(carol)
  const making = carryOnWith(alice, everybody)
  await expect.poll(() => findGroup(coreOf(bob).store, groupOf(bob, chat))?.generation).toBe(1)
  expect(membersFor(bob, chat)).not.toContain(dave.id)
  const carrying = carryOnWith(carol, [...everybody, dave], 2)
  await expect.poll(() => findGroup(coreOf(bob).store, groupOf(bob, chat))?.generation).toBe(2)
  expect(returnedTo(coreOf(bob).store, chat)).toEqual([])
  readAsAlice()
  readAsCarol()
  await Promise.all([making, carrying])
  await expectSettled([alice, bob, carol], [...everybody, dave])
})

describe('[CORE-14.54] a removed member is out, whatever it says about the maker of the next group', () => {
  test.for([
    { named: 'itself', generation: 1 },
    // By its number, the group was made long after the removal.
    { named: 'itself', generation: 3 },
    { named: 'another member', generation: 1 },
    { named: 'another member', generation: 3 },
    { named: 'the reader', generation: 3 },
    { named: 'nobody', generation: 3 },
  ])(
    '$named had read everything, in a group of number $generation',
    async ({ named, generation }, { alice, bob, carol, mallory, chat, expectSettled }) => {
      const honest = [alice, bob, carol]
      const maker = { itself: mallory.id, 'another member': bob.id, 'the reader': carol.id }[named]
      const first = groupOf(carol, chat)
      // Carol loses her keys, and so does not read the removal.
      const asked = carol.wire.outgoing
      carol.wire.outgoing = () => []
      await attacks['adds somebody anew with a spoilt welcome']?.(mallory, {
        chat,
        victim: carol.id,
        stranger: carol.id,
      })
      await expect.poll(() => findGroup(coreOf(carol).store, first)?.status).toBe('broken')
      await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
      await expect.poll(() => membersFor(bob, chat)).toEqual(ids(honest))
      const continues = { group: first, generation: 0, epoch: 2 ** 40 }
      const settings = groupSettings([alice], { chat, generation, ...(maker && { maker }), continues })
      const group = groupIdFromBytes(coreOf(mallory).provider.randomBytes(GROUP_ID_BYTES))
      // A first commit that names another maker is refused.
      const epochs = maker === mallory.id ? 0 : 1
      await openForged(mallory, { group, settings, victim: carol.id, others: [alice.id, bob.id], epochs })
      await expect.poll(() => groupOf(carol, chat)).toBe(group)
      carol.wire.outgoing = asked
      carol.wire.drop()
      await sayWhenHealed(carol, chat, 'from another group')
      await expectSettled(honest, honest)
      await expectAllHear(chat, honest)
      expect(codesOf(bob, chat)).toContain('restarted')
    },
  )

  test('itself had read a removal that crosses its group', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    expectSettled,
  }) => {
    const honest = [alice, bob, carol]
    await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, WITHIN)
    for (const person of [bob, carol, mallory]) await expect.poll(() => adminsFor(person, chat)).toHaveLength(2)
    const first = groupOf(bob, chat)
    alice.wire.hold()
    const continues = { group: first, generation: 0, epoch: 2 ** 40 }
    const settings = groupSettings([alice, bob], { chat, generation: 1, maker: mallory.id, continues })
    const group = groupIdFromBytes(coreOf(mallory).provider.randomBytes(GROUP_ID_BYTES))
    await openForged(mallory, { group, settings, victim: carol.id, others: [alice.id, bob.id] })
    for (const person of [bob, carol]) await expect.poll(() => groupOf(person, chat)).toBe(group)
    const removing = alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
    await expectSettled([bob, carol], honest)
    alice.wire.release()
    await removing
    await expectSettled(honest, honest)
  })
})
