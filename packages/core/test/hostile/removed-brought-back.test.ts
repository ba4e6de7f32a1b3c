// A member that missed a removal carries the group on with the removed member: an admin that knows of it removes it again.
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { findGroup } from '../../src/groups/group-records.ts'
import { test } from './carrying-on.ts'
import { commitAs, coreOf, groupOf, keyHolders } from './modified-client.ts'
import { adminsFor, carryOn, expectAllHear, groupSettings, ids, membersFor, sayWhenHealed } from './team.ts'

test('[CORE-14.49] a member that an admin removed is out again when a member that missed it carries the group on', async ({
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
  const before = groupOf(alice, chat)
  const read = readNothing(carol)
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(bob, chat)).toEqual(ids(honest))
  const carrying = carryOnWith(carol, [...honest, mallory])
  await expect.poll(() => groupOf(alice, chat)).not.toBe(before)
  // The first message after it is not for mallory either.
  await sayWhenHealed(alice, chat, 'among us')
  read()
  await carrying
  await expectSettled(honest, honest)
  await expectAllHear(chat, honest)
  await expect.poll(() => findGroup(coreOf(mallory).store, groupOf(alice, chat))?.status).toBe('broken')
  expect(coreOf(mallory).store.all(`SELECT 1 FROM message WHERE body LIKE '%among us%'`)).toEqual([])
})

test('[CORE-14.49] another admin that knows of the removal does so when the one that removed it is away', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  readNothing,
  expectSettled,
}) => {
  await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, WITHIN)
  for (const person of [bob, carol]) await expect.poll(() => adminsFor(person, chat)).toHaveLength(2)
  const read = readNothing(carol)
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(bob, chat)).not.toContain(mallory.id)
  alice.wire.hold()
  const carrying = carryOnWith(carol, [alice, bob, carol, mallory])
  await expect.poll(() => findGroup(coreOf(bob).store, groupOf(bob, chat))?.generation).toBe(1)
  read()
  await carrying
  await expectSettled([bob, carol], [alice, bob, carol])
  alice.wire.release()
  await expectSettled([alice, bob, carol], [alice, bob, carol])
  await expectAllHear(chat, [alice, bob, carol])
})

test('[CORE-14.49] an admin that has carried the group on with the member reads the removal later, and removes it', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  readNothing,
  expectSettled,
}) => {
  await alice.client.chats.setAdmin(chat, { account: carol.id, role: 'admin' }, WITHIN)
  for (const person of [bob, carol]) await expect.poll(() => adminsFor(person, chat)).toHaveLength(2)
  const read = readNothing(carol)
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(bob, chat)).not.toContain(mallory.id)
  alice.wire.hold()
  const carrying = carryOnWith(carol, [alice, bob, carol, mallory])
  await expect.poll(() => findGroup(coreOf(bob).store, groupOf(bob, chat))?.generation).toBe(1)
  read()
  await carrying
  await expectSettled([bob, carol], [alice, bob, carol])
  alice.wire.release()
  await expectSettled([alice, bob, carol], [alice, bob, carol])
})

test('[CORE-14.50] the member stays out when a third one carries on the group into which it was taken over', async ({
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
  const read = readNothing(carol)
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(bob, chat)).not.toContain(mallory.id)
  alice.wire.hold()
  const carrying = carryOnWith(carol, everybody)
  await expect.poll(() => membersFor(bob, chat)).toContain(mallory.id)
  read()
  await carrying
  await carryOnWith(bob, everybody)
  await expect.poll(() => findGroup(coreOf(carol).store, groupOf(carol, chat))?.generation).toBe(2)
  alice.wire.release()
  await expectSettled([alice, bob, carol], [alice, bob, carol])
})

test('[CORE-14.50] a member whom somebody has added again after the removal stays, whoever carries the group on', async ({
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
  const read = readNothing(carol)
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(bob, chat)).not.toContain(mallory.id)
  await bob.client.chats.addMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(alice, chat)).toEqual(ids(everybody))
  const carrying = carryOnWith(carol, everybody)
  await expect.poll(() => findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(1)
  read()
  await carrying
  await expectAllHear(chat, [alice, bob, carol])
  await expectSettled([alice, bob, carol], everybody)
})

test('[CORE-14.50] a maker that knew of the removal has added the member again, as any member may', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  carryOnWith,
  expectSettled,
}) => {
  const everybody = [alice, bob, carol, mallory]
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(carol, chat)).not.toContain(mallory.id)
  await carryOnWith(carol, everybody)
  await expect.poll(() => findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(1)
  await expectAllHear(chat, [alice, bob, carol])
  await expectSettled([alice, bob, carol], everybody)
})

test('[CORE-14.50] an admin can add the member again after it was taken over and removed', async ({
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
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  const carrying = carryOnWith(carol, [...honest, mallory])
  await expect.poll(() => findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(1)
  read()
  await carrying
  await expectSettled(honest, honest)
  await alice.client.chats.addMembers(chat, [mallory.id], WITHIN)
  await expectSettled(honest, [...honest, mallory])
  await expectAllHear(chat, honest)
  await expectSettled(honest, [...honest, mallory])
})

test('[CORE-14.49] a member that has left is out again, too', async ({
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
  const epoch = () => findGroup(coreOf(alice).store, groupOf(alice, chat))?.epoch ?? 0
  const before = epoch()
  await mallory.client.chats.leaveGroup(chat, WITHIN)
  await expect.poll(() => membersFor(bob, chat)).toEqual(ids(honest))
  await bob.say(chat, 'after the farewell')
  await alice.hears('after the farewell')
  // The lists leave her out before the commit that removes her.
  await expect.poll(epoch).toBeGreaterThan(before)
  await expect.poll(() => membersFor(alice, chat)).toEqual(ids(honest))
  const carrying = carryOnWith(carol, [...honest, mallory])
  await expect.poll(() => findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(1)
  read()
  await carrying
  await expectSettled(honest, honest)
})

test('[CORE-14.49] a member that has left is out again when no commit has removed it yet', async ({
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
  await mallory.client.chats.leaveGroup(chat, WITHIN)
  for (const person of [alice, bob]) await expect.poll(() => membersFor(person, chat)).toEqual(ids(honest))
  const carrying = carryOnWith(carol, [...honest, mallory])
  await expect.poll(() => findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(1)
  // The first message after it is not for mallory either.
  await sayWhenHealed(alice, chat, 'among us')
  read()
  await carrying
  await expectSettled(honest, honest)
  for (const person of honest) await expect.poll(() => keyHolders(person, chat)).toEqual(ids(honest))
  await expectAllHear(chat, honest)
  expect(coreOf(mallory).store.all(`SELECT 1 FROM message WHERE body LIKE '%among us%'`)).toEqual([])
})

test('[CORE-14.49] an admin that has carried the group on with a member reads its farewell later, and removes it', async ({
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
  const read = readNothing(alice)
  await mallory.client.chats.leaveGroup(chat, WITHIN)
  for (const person of [bob, carol]) await expect.poll(() => membersFor(person, chat)).toEqual(ids(honest))
  const carrying = carryOnWith(alice, [...honest, mallory])
  await expect.poll(() => findGroup(coreOf(bob).store, groupOf(bob, chat))?.generation).toBe(1)
  read()
  await carrying
  for (const person of honest) await expect.poll(() => keyHolders(person, chat)).toEqual(ids(honest))
  await expectSettled(honest, honest)
  await expectAllHear(chat, honest)
})

test('[CORE-14.50] a member that has left and was added again stays when the group is carried on', async ({
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
  const read = readNothing(alice)
  await mallory.client.chats.leaveGroup(chat, WITHIN)
  for (const person of [bob, carol]) await expect.poll(() => membersFor(person, chat)).toEqual(ids([alice, bob, carol]))
  await bob.client.chats.addMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(carol, chat)).toEqual(ids(everybody))
  // Carol has read all this, and alice nothing of it.
  await carryOnWith(carol, everybody)
  read()
  await expect.poll(() => findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(1)
  await expectAllHear(chat, [alice, bob, carol])
  await expectSettled([alice, bob, carol], everybody)
})

test('[CORE-14.50] somebody who is no admin any more removes nobody by a commit to an earlier group', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const before = groupOf(alice, chat)
  await alice.client.chats.setAdmin(chat, { account: mallory.id, role: 'admin' }, WITHIN)
  for (const person of [bob, carol, mallory]) await expect.poll(() => adminsFor(person, chat)).toHaveLength(2)
  // Mallory continues to write in the first group, and the others follow alice.
  mallory.wire.hold()
  await carryOn(alice, chat, {
    settings: groupSettings([alice], { chat, generation: 1, continues: { group: before, generation: 0, epoch: 0 } }),
    members: [alice, bob, carol, mallory],
  })
  for (const person of [bob, carol]) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(alice, chat))
  const removing = commitAs(mallory, chat, () => ({ remove: [bob.id] }))
  const inFirst = () => findGroup(coreOf(alice).store, before)?.epoch ?? 0
  const epoch = inFirst()
  mallory.wire.release()
  await removing.catch(() => undefined)
  await expect.poll(inFirst).toBeGreaterThan(epoch)
  await expectAllHear(chat, [alice, bob, carol])
  for (const person of [alice, carol]) expect(membersFor(person, chat)).toContain(bob.id)
})
