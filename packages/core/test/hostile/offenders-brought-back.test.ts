// Members who know nothing of an offence and carry the group on with the offender in it, after an admin has the proof.
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { findChat } from '../../src/chats/records/chats.ts'
import { findGroup, offendersOf } from '../../src/groups/group-records.ts'
import { test } from './fixtures.ts'
import { attacks } from './history-attacks.ts'
import { commitAs, coreOf, groupOf, keyPackagesOf } from './modified-client.ts'
import { carryOn, expectAllHear, groupSettings, ids, membersFor } from './team.ts'

/** Those that a member is going to add to the group in force. */
const newcomersFor = (person: TestPerson): string[] =>
  coreOf(person)
    .store.all<{ account_id: string }>('SELECT account_id FROM rejoin')
    .map(({ account_id }) => account_id)

const statusFor = (person: TestPerson, chat: Parameters<typeof groupOf>[1]) =>
  findGroup(coreOf(person).store, groupOf(person, chat))?.status

test('[CORE-14.47] an offender whom a member brings back unknowingly is out again once the admin has the proof', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const honest = [alice, bob, carol]
  const before = groupOf(alice, chat)
  const attack = (name: string) => attacks[name]?.(mallory, { chat, victim: bob.id, stranger: bob.id })
  await attack('carries on with all')
  for (const person of honest) await expect.poll(() => groupOf(person, chat)).not.toBe(before)
  const second = groupOf(bob, chat)
  alice.wire.hold()
  // Bob is cut off from the first group, so the offence there is proved to carol and to alice alone.
  await attack('adds somebody anew with no welcome')
  await expect.poll(() => findGroup(coreOf(bob).store, before)?.status).toBe('broken')
  await attack('names itself admin')
  await expect.poll(() => membersFor(carol, chat)).not.toContain(mallory.id)
  // He believes no removal by carol, who is no admin, and answers with a group for everyone.
  await expect.poll(() => groupOf(bob, chat)).not.toBe(second)
  expect(membersFor(bob, chat)).toContain(mallory.id)
  alice.wire.release()
  await alice.next('notice', ({ notice }) => notice.code === 'refused' && notice.from?.id === mallory.id)
  for (const person of honest) {
    await expect.poll(() => membersFor(person, chat)).toEqual(ids(honest))
    await expect.poll(() => statusFor(person, chat)).toBe('open')
  }
  await expectAllHear(chat, honest)
})

test('[CORE-14.47] an offender whom a member has added again stays when the group is carried on', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const honest = [alice, bob, carol]
  await attacks['names itself admin']?.(mallory, { chat, victim: bob.id, stranger: bob.id })
  for (const person of honest) await expect.poll(() => membersFor(person, chat)).toEqual(ids(honest))
  for (const person of honest) await expect.poll(() => statusFor(person, chat)).toBe('open')
  await bob.client.chats.addMembers(chat, [mallory.id], WITHIN)
  const everybody = [...honest, mallory]
  for (const person of honest) await expect.poll(() => membersFor(person, chat)).toEqual(ids(everybody))
  const settings = groupSettings([alice], { chat, generation: 9 })
  await carryOn(bob, chat, { settings, members: everybody })
  for (const person of honest) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(bob, chat))
  expect(statusFor(alice, chat)).toBe('open')
  await expectAllHear(chat, honest)
  expect(membersFor(alice, chat)).toEqual(ids(everybody))
})

test('[CORE-14.48] an offender that a member adds again in an earlier group is no newcomer in the one without it', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const first = groupOf(alice, chat)
  const attack = (name: string) => attacks[name]?.(mallory, { chat, victim: carol.id, stranger: carol.id })
  await attack('carries on with all')
  for (const person of [alice, bob, carol]) await expect.poll(() => groupOf(person, chat)).not.toBe(first)
  const second = groupOf(carol, chat)
  // Carol reads neither the offence nor the welcome into the next group.
  const relay = new HostileRelay(carol.wire)
  relay.changeEntries(entries =>
    entries.map(entry =>
      (entry.group === first && entry.kind === 'commit') || (entry.kind === 'welcome' && entry.sender === alice.id)
        ? { ...entry, payload: entry.payload.slice(0, 80) }
        : entry,
    ),
  )
  await attack('names itself admin')
  const honest = [alice, bob]
  for (const person of honest) {
    await expect.poll(() => membersFor(person, chat)).toEqual(ids([alice, bob, carol]))
    await expect.poll(() => statusFor(person, chat)).toBe('open')
  }
  const epochFor = (person: TestPerson) => findGroup(coreOf(person).store, second)?.epoch ?? 0
  const epoch = epochFor(alice)
  const add = await keyPackagesOf(carol, [mallory.id])
  await commitAs(carol, chat, () => ({ add, remove: [mallory.id] }))
  for (const person of honest) {
    await expect.poll(() => epochFor(person)).toBeGreaterThan(epoch)
    expect(newcomersFor(person)).not.toContain(mallory.id)
    expect(membersFor(person, chat)).not.toContain(mallory.id)
  }
})

test('[CORE-14.48] a member that an admin leaves out while another member adds it again stays out', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const before = groupOf(alice, chat)
  const honest = [alice, bob, carol]
  const epochAtRelay = async () => (await coreOf(bob).link.call('getGroup', { group: before })).epoch
  const epoch = await epochAtRelay()
  const add = await keyPackagesOf(carol, [mallory.id])
  carol.wire.hold()
  await carryOn(alice, chat, { settings: groupSettings([alice], { chat, generation: 1 }), members: honest })
  const adding = commitAs(carol, chat, () => ({ add, remove: [mallory.id] }))
  await expect.poll(epochAtRelay).toBeGreaterThan(epoch)
  carol.wire.release()
  await adding
  await expectAllHear(chat, honest)
  for (const person of honest) {
    expect(newcomersFor(person)).not.toContain(mallory.id)
    expect(membersFor(person, chat)).toEqual(ids(honest))
  }
})

test('[CORE-14.42] a newcomer that breaks the rules before it is in the next group is not added to that', async ({
  world,
  clock,
  alice,
  bob,
  carol,
  chat,
}) => {
  const before = groupOf(alice, chat)
  const dave = await world.person(`dave of ${chat}`, { clock })
  const add = await keyPackagesOf(bob, [dave.id])
  bob.wire.hold()
  const honest = [alice, bob, carol]
  await carryOn(alice, chat, { settings: groupSettings([alice], { chat, generation: 1 }), members: honest })
  alice.wire.hold()
  const adding = commitAs(bob, chat, () => ({ add }))
  await expect.poll(() => findChat(coreOf(dave).store, chat)?.group_id).toBe(before)
  await attacks['names itself admin']?.(dave, { chat, victim: bob.id, stranger: carol.id })
  for (const person of [alice, bob]) person.wire.release()
  await adding
  await expect.poll(() => offendersOf(coreOf(alice).store, before)).toEqual([dave.id])
  await expectAllHear(chat, honest)
  expect(newcomersFor(alice)).toEqual([])
  for (const person of honest) await expect.poll(() => membersFor(person, chat)).toEqual(ids(honest))
})
