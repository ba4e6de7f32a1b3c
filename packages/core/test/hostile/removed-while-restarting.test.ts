// Members are removed and added while a client is about to carry the group on:
// the removed stay out, and the added are in.
import { type AccountId, type ChatId, GROUP_ID_BYTES, type GroupId, groupIdToBytes } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { isNewcomer, leftOutUnknown } from '../../src/chats/records/newcomers.ts'
import { endGroup } from '../../src/groups/group-records.ts'
import { test } from './fixtures.ts'
import { coreOf, groupOf } from './modified-client.ts'
import { carryOn, epochOf, expectAllHear, groupSettings, ids, membersFor, sayWhenHealed, speakIn } from './team.ts'

test('[CORE-14.34] a removal that crosses the own restart of the group is not undone', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const before = groupOf(alice, chat)
  const asked = Promise.withResolvers<void>()
  const held: Uint8Array[] = []
  // The relay is slow to hand out key packages, until the removal is done.
  alice.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'takeKeyPackages') return [bytes]
    held.push(bytes.slice())
    asked.resolve()
    return []
  }
  // Refused by all, and answered by alice, with a group into which everyone may follow.
  const settings = groupSettings([mallory], { chat, generation: 1 })
  await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory] })
  await asked.promise
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  expect(membersFor(alice, chat)).toEqual(ids([alice, bob, carol]))
  alice.wire.outgoing = frame => [frame]
  for (const bytes of held) alice.wire.say(bytes)
  await expect.poll(() => groupOf(alice, chat)).not.toBe(before)
  await expectAllHear(chat, [alice, bob, carol])
  for (const person of [alice, bob, carol]) expect(membersFor(person, chat)).toEqual(ids([alice, bob, carol]))
})

/** With dave, whom carol has added, and bob knows it. */
const withDave = test.extend('dave', async ({ world, clock, bob, carol, chat }) => {
  const dave = await world.person(`dave ${bob.name}`, { clock })
  await carol.client.chats.addMembers(chat, [dave.id], WITHIN)
  await bob.next('chat', event => event.chat.members.some(({ id }) => id === dave.id))
  return dave
})

withDave(
  '[CORE-14.42] a maker that does not say how far it had read loses nobody who was added lately',
  async ({ alice, bob, carol, dave, chat }) => {
    const next = { accounts: ids([alice, bob, carol]), continues: undefined }
    const { store } = coreOf(bob)
    expect(leftOutUnknown(store, chat, { ...next, generation: 1 })).toMatchObject([{ account: dave.id, by: carol.id }])
    // Its maker may have read the group to which dave was added.
    expect(leftOutUnknown(store, chat, { ...next, generation: 2 })).toEqual([])
  },
)

withDave(
  '[CORE-14.42] nobody brings back a person who is proved to have broken the rules',
  async ({ clock, alice, bob, carol, dave, chat }) => {
    const { store } = coreOf(bob)
    const next = { accounts: ids([alice, bob, carol]), continues: undefined, generation: 1 }
    expect(leftOutUnknown(store, chat, next)).toHaveLength(1)
    await store.write(database => endGroup(database, groupOf(bob, chat), { nowMs: clock.nowMs(), offender: dave.id }))
    expect(leftOutUnknown(store, chat, next)).toEqual([])
  },
)

test('[CORE-14.42] somebody who is added while another member carries the group on is in the next group, too', async ({
  world,
  clock,
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const dave = await world.person('dave, who is added late', { clock })
  const before = groupOf(alice, chat)
  const opened = Promise.withResolvers<void>()
  const held: Uint8Array[] = []
  // The relay is slow to open the next group, until somebody is added to the previous one.
  alice.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'createGroup') return [bytes]
    held.push(bytes.slice())
    opened.resolve()
    return []
  }
  const settings = groupSettings([mallory], { chat, generation: 1 })
  await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory] })
  await opened.promise
  await carol.client.chats.addMembers(chat, [dave.id], WITHIN)
  await dave.next('chat', event => event.chat_id === chat)
  alice.wire.outgoing = frame => [frame]
  for (const bytes of held) alice.wire.say(bytes)
  await expect.poll(() => groupOf(carol, chat)).not.toBe(before)
  const all = [alice, bob, carol, mallory, dave]
  for (const person of all) await expect.poll(() => membersFor(person, chat)).toEqual(ids(all))
  await expectAllHear(chat, [alice, bob, carol, dave])
})

const HOUR_MS = 3_600_000
/** Below every other id, as text. */
const LOWEST_ID = `${'2'.repeat(25)}y` as GroupId

/** Carol adds dave at the moment in which alice carries the chat on: the relay has her commit after alice's group. */
const crossing = test.extend('crossing', async ({ world, clock, alice, bob, carol, mallory, chat }) => {
  const dave = await world.person(`dave of ${chat}`, { clock })
  const before = groupOf(alice, chat)
  const held: Uint8Array[] = []
  const committed = Promise.withResolvers<void>()
  carol.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'commit') return [bytes]
    held.push(bytes.slice())
    committed.resolve()
    return []
  }
  const adding = carol.client.chats.addMembers(chat, [dave.id], { timeoutMs: HOUR_MS })
  adding.catch(() => {})
  await committed.promise
  const settings = groupSettings([alice], { chat, generation: 1 })
  await carryOn(alice, chat, { settings, members: [alice, bob, carol, mallory] })
  for (const person of [alice, bob, carol]) await expect.poll(() => groupOf(person, chat)).not.toBe(before)
  return {
    dave,
    before,
    adding,
    release: () => {
      carol.wire.outgoing = frame => [frame]
      for (const bytes of held) carol.wire.say(bytes)
    },
  }
})

/** The relay is slow to hand out key packages to the person, until the returned function is called. */
function slowKeyPackages(person: TestPerson, of?: readonly AccountId[]): () => void {
  const held: Uint8Array[] = []
  person.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'takeKeyPackages') return [bytes]
    if (of && !frame.request.accounts.some(account => of.includes(account))) return [bytes]
    held.push(bytes.slice())
    return []
  }
  return () => {
    person.wire.outgoing = frame => [frame]
    for (const bytes of held) person.wire.say(bytes)
  }
}

crossing(
  '[CORE-14.42] the member that has added them does so again, and they read what it says next',
  async ({ alice, carol, chat, crossing: { dave, adding, release } }) => {
    // Alice, who has made the group, adds nobody to it in time.
    slowKeyPackages(alice)
    release()
    await adding
    await sayWhenHealed(carol, chat, 'welcome, dave')
    await dave.hears('welcome, dave')
  },
)

crossing(
  '[CORE-14.42] until they are in it they are heard in the group before',
  async ({ alice, bob, carol, chat, crossing: { dave, before, adding, release } }) => {
    const giveAlice = slowKeyPackages(alice)
    // Carol has the key packages for the previous group, and waits for those for the one in force.
    release()
    const giveCarol = slowKeyPackages(carol)
    await expect.poll(() => coreOf(dave).groups.has(before)).toBe(true)
    await speakIn(dave, before, { body: { kind: 'text', text: 'is anybody here?' } })
    for (const person of [alice, bob, carol]) await person.hears('is anybody here?')
    for (const give of [giveAlice, giveCarol]) give()
    await adding
    await expectAllHear(chat, [alice, bob, carol, dave])
  },
)

crossing(
  '[CORE-14.57] whoever has left the group before is not added to the one in force',
  async ({ alice, bob, carol, mallory, chat, crossing: { dave, before, release } }) => {
    const giveAlice = slowKeyPackages(alice)
    release()
    slowKeyPackages(carol)
    await expect.poll(() => coreOf(dave).groups.has(before)).toBe(true)
    for (const person of [alice, bob]) await expect.poll(() => isAwaited(person, chat, dave)).toBe(true)
    await speakIn(dave, before, { body: { kind: 'leave' } })
    for (const person of [alice, bob]) await expect.poll(() => isAwaited(person, chat, dave)).toBe(false)
    giveAlice()
    await expectAllHear(chat, [alice, bob])
    for (const person of [alice, bob]) expect(membersFor(person, chat)).toEqual(ids([alice, bob, carol, mallory]))
  },
)

const isAwaited = (person: TestPerson, chat: ChatId, newcomer: TestPerson): boolean =>
  isNewcomer(coreOf(person).store, groupOf(person, chat), newcomer.id)

crossing(
  '[CORE-14.45] whoever adds them greets them: they see the chat before anybody writes in it',
  async ({ carol, chat, crossing: { dave, release } }) => {
    release()
    // Carol, who would greet dave, says nothing more; alice adds dave to the group that she has made.
    carol.wire.outgoing = () => []
    await dave.next('chat', event => event.chat_id === chat)
  },
)

test('[CORE-14.45] the member that carries a group on greets those in it, also one whom its adder has not greeted', async ({
  world,
  clock,
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const dave = await world.person(`dave, not greeted in ${chat}`, { clock })
  // Carol's messages stay on the way, and her greeting is one.
  carol.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    return frame.kind === 'call' && frame.name === 'appendMarked' ? [] : [bytes]
  }
  carol.client.chats.addMembers(chat, [dave.id], { timeoutMs: HOUR_MS }).catch(() => {})
  await expect.poll(() => membersFor(alice, chat)).toContain(dave.id)
  // Refused by all, and answered by alice, with a group into which everyone may follow.
  const settings = groupSettings([mallory], { chat, generation: 1 })
  await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory, dave] })
  await dave.next('chat', event => event.chat_id === chat)
})

/** Carol has added dave, and all have read it: alice's knowledge of it is what her group says. */
const added = test.extend('added', async ({ world, clock, alice, bob, carol, mallory, chat }) => {
  const dave = await world.person(`dave in ${chat}`, { clock })
  const place = { group: groupOf(alice, chat), generation: 0, epoch: await epochOf(alice, chat) }
  await carol.client.chats.addMembers(chat, [dave.id], WITHIN)
  await dave.next('chat', event => event.chat_id === chat)
  const all = [alice, bob, carol, mallory, dave]
  for (const person of all) await expect.poll(() => membersFor(person, chat)).toEqual(ids(all))
  return { dave, place }
})

added(
  '[CORE-14.42] an admin that had not read of them leaves nobody out',
  async ({ alice, bob, carol, chat, added: { dave, place } }) => {
    // Mallory is out: dave believes that only from an admin, and is added by carol.
    const settings = groupSettings([alice], { chat, generation: 1, continues: place })
    await carryOn(alice, chat, { settings, members: [alice, bob, carol] })
    const all = [alice, bob, carol, dave]
    for (const person of all) await expect.poll(() => membersFor(person, chat)).toEqual(ids(all))
    await expectAllHear(chat, all)
  },
)

added(
  '[CORE-14.42] nobody brings back whom an admin has left out',
  async ({ alice, bob, carol, mallory, chat, added: { dave, place } }) => {
    const continues = { ...place, epoch: await epochOf(alice, chat) }
    const settings = groupSettings([alice], { chat, generation: 1, continues })
    const others = [alice, bob, carol, mallory]
    await carryOn(alice, chat, { settings, members: others })
    await expectAllHear(chat, [alice, bob, carol])
    for (const person of [alice, bob, carol]) expect(membersFor(person, chat)).toEqual(ids(others))
    expect(groupOf(dave, chat)).toBe(place.group)
  },
)

added(
  '[CORE-14.17] of two groups of one generation all choose alike, whoever has added them to it',
  async ({ alice, bob, carol, mallory, chat, added: { dave, place } }) => {
    const all = [alice, bob, carol, mallory, dave]
    const bobs = groupSettings([alice], { chat, generation: 1 })
    await carryOn(bob, chat, { settings: bobs, members: all })
    for (const person of all) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(bob, chat))
    // The admin, who has not read of dave, does the same; carol adds dave there.
    const alices = groupSettings([alice], { chat, generation: 1, continues: place })
    await carryOn(alice, chat, { settings: alices, members: [alice, bob, carol, mallory] })
    for (const person of all) await expect.poll(() => membersFor(person, chat)).toEqual(ids(all))
    for (const person of all) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(alice, chat))
    await expectAllHear(chat, [alice, bob, carol, dave])
  },
)

added(
  "[CORE-14.17] a member whom another has added to an admin's group stays there, whatever group of that generation comes",
  async ({ alice, bob, carol, mallory, chat, added: { dave, place } }) => {
    const relay = new HostileRelay(bob.wire)
    // Bob does not learn of the group that alice makes.
    relay.changeEntries(entries => entries.filter(({ group, sender }) => group === place.group || sender === bob.id))
    const giveAlice = slowKeyPackages(alice, [dave.id])
    const alices = groupSettings([alice], { chat, generation: 1, continues: place })
    await carryOn(alice, chat, { settings: alices, members: [alice, bob, carol, mallory] })
    const inForce = groupOf(alice, chat)
    for (const person of [carol, dave]) await expect.poll(() => groupOf(person, chat)).toBe(inForce)
    giveAlice()
    // If no admin had made one of the two groups, members would choose the one with this id.
    const { provider, groups } = coreOf(bob)
    const { randomBytes } = provider
    provider.randomBytes = count => (count === GROUP_ID_BYTES ? groupIdToBytes(LOWEST_ID) : randomBytes(count))
    const settings = groupSettings([alice], { chat, generation: 1 })
    await carryOn(bob, chat, { settings, members: [alice, bob, carol, mallory, dave] })
    provider.randomBytes = randomBytes
    const bobs = groupOf(bob, chat)
    expect(groups.has(bobs) && bobs < inForce).toBe(true)
    for (const person of [alice, carol, dave]) {
      await expect.poll(() => coreOf(person).groups.has(bobs)).toBe(true)
      expect(groupOf(person, chat)).toBe(inForce)
    }
  },
)
