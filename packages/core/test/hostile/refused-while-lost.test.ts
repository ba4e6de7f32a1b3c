// A group that a member refused and others follow: it counts until the chat has a group above it, so that all meet again.
import { CodedError, clientLimits, contentLimits, GROUP_ID_BYTES, groupIdFromBytes } from '@postern/protocol'
import { decodeClientFrame, type MailboxEntry } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { noteMembersAsked } from '../../src/chats/records/asked-rejoins.ts'
import { chatOfRefused, noteRefusal, putOffRefusal, refusalsToAnswer } from '../../src/chats/records/refusals.ts'
import { commitToGroup } from '../../src/groups/commit-group.ts'
import { findGroup, putOffRestart } from '../../src/groups/group-records.ts'
import type { Database } from '../../src/storage/database.ts'
import { test as base } from './fixtures.ts'
import { attacks } from './history-attacks.ts'
import { coreOf, deadlineOf, groupOf, keyPackagesOf, openForged } from './modified-client.ts'
import { carryOn, codesOf, expectAllHear, groupSettings, ids, membersFor } from './team.ts'

const HOUR_MS = 3600 * 1000

type CarriedOn = { more?: TestPerson[]; generation?: number }

const test = base
  /** Mallory makes alice lose her keys. Nobody is asked to add her again. */
  .extend('aliceLosesHerKeys', ({ clock, alice, mallory, chat }) => async (): Promise<void> => {
    const first = groupOf(alice, chat)
    await coreOf(alice).store.write(database => noteMembersAsked(database, first, clock.nowMs() + HOUR_MS))
    await attacks['adds somebody anew with a spoilt welcome']?.(mallory, { chat, victim: alice.id, stranger: alice.id })
    await expect.poll(() => findGroup(coreOf(alice).store, first)?.status).toBe('broken')
  })
  /** The person reads nothing until the returned function is called, and never the farewell. */
  .extend('missTheFarewell', ({ alice, chat }) => (person: TestPerson): (() => void) => {
    const first = groupOf(alice, chat)
    const relay = new HostileRelay(person.wire)
    const held: MailboxEntry[] = []
    relay.changeEntries(entries => {
      held.push(...entries)
      return []
    })
    const others = (entries: MailboxEntry[]) => entries.filter(({ group }) => group !== first)
    return () => {
      relay.changeEntries(others)
      relay.say({ kind: 'deliver', entries: others(held) })
    }
  })
  /** Mallory leaves, and carol carries the group on. Members that did not read the farewell refuse her group. */
  .extend(
    'carolCarriesOn',
    ({ alice, bob, carol, mallory, chat }) =>
      async (unaware: TestPerson, { more = [], generation = 9 }: CarriedOn = {}): Promise<void> => {
        await mallory.client.chats.leaveGroup(chat, WITHIN)
        const aware = [alice, bob, carol].filter(person => person !== unaware)
        for (const person of aware) await expect.poll(() => codesOf(person, chat)).toContain('left')
        const settings = groupSettings([alice], { chat, generation })
        await carryOn(carol, chat, { settings, members: [alice, bob, carol, ...more] })
        for (const person of aware) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(carol, chat))
      },
  )
  .extend('expectOneGroup', ({ alice, bob, carol, mallory, chat }) => async (generation = 10): Promise<void> => {
    const viewOf = (person: TestPerson) => {
      const group = findGroup(coreOf(person).store, groupOf(person, chat))
      return `${group?.generation} ${group?.status}`
    }
    const honest = [alice, bob, carol]
    for (const person of honest) await expect.poll(() => viewOf(person)).toBe(`${generation} open`)
    expect(new Set(honest.map(person => groupOf(person, chat))).size).toBe(1)
    // The maker has not read the farewell, and nobody can prove it: mallory is invited again.
    for (const person of honest) expect(membersFor(person, chat)).toEqual(ids([...honest, mallory]))
    await expectAllHear(chat, honest)
  })

test('[CORE-14.51] an admin without keys makes a group above the one that it refused, and all follow', async ({
  alice,
  chat,
  aliceLosesHerKeys,
  carolCarriesOn,
  expectOneGroup,
}) => {
  await aliceLosesHerKeys()
  await carolCarriesOn(alice)
  await expect.poll(() => codesOf(alice, chat)).toContain('refused')
  await expectOneGroup()
})

test('[CORE-14.51] a member that gets its keys back answers the group that it refused without them', async ({
  clock,
  alice,
  bob,
  chat,
  aliceLosesHerKeys,
  carolCarriesOn,
  expectOneGroup,
}) => {
  const first = groupOf(alice, chat)
  await aliceLosesHerKeys()
  await coreOf(alice).store.write(database => putOffRestart(database, first, clock.nowMs() + HOUR_MS))
  await carolCarriesOn(alice)
  await expect.poll(() => codesOf(alice, chat)).toContain('refused')
  // As a commit that bob had made before he read of carol's group.
  const add = await keyPackagesOf(bob, [alice.id])
  await commitToGroup(coreOf(bob), first, {
    intent: () => ({ add, remove: [alice.id] }),
    deadline: deadlineOf(bob),
  })
  await expectOneGroup()
})

test('[CORE-14.51] a refused welcome back into the same group is no such group: an admin adds the member again', async ({
  clock,
  alice,
  bob,
  carol,
  mallory,
  chat,
  aliceLosesHerKeys,
}) => {
  await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, WITHIN)
  const settings = groupSettings([alice, bob], { chat, generation: 1 })
  await carryOn(alice, chat, { settings, members: [alice, bob, carol, mallory] })
  const group = groupOf(alice, chat)
  for (const person of [bob, carol, mallory]) await expect.poll(() => groupOf(person, chat)).toBe(group)
  await aliceLosesHerKeys()
  await coreOf(alice).store.write(database => putOffRestart(database, group, clock.nowMs() + HOUR_MS))
  await bob.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  await expect.poll(() => membersFor(carol, chat)).not.toContain(mallory.id)
  const add = await keyPackagesOf(carol, [alice.id])
  await commitToGroup(coreOf(carol), group, {
    intent: () => ({ add, remove: [alice.id] }),
    deadline: deadlineOf(carol),
  })
  await expect.poll(() => codesOf(alice, chat)).toContain('refused')
  await expect.poll(() => membersFor(alice, chat)).toEqual(ids([alice, bob, carol]))
  expect(refusalsToAnswer(coreOf(alice).store)).toEqual([])
  await expectAllHear(chat, [alice, bob, carol])
  for (const person of [alice, bob, carol]) expect(groupOf(person, chat)).toBe(group)
})

describe('[CORE-14.52] a group that a member refused is answered', () => {
  test('also when the member follows a lower one', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    missTheFarewell,
    carolCarriesOn,
    expectOneGroup,
  }) => {
    const read = missTheFarewell(bob)
    await carolCarriesOn(bob)
    const lower = groupIdFromBytes(coreOf(alice).provider.randomBytes(GROUP_ID_BYTES))
    const settings = groupSettings([alice], { chat, generation: 3 })
    await openForged(alice, { group: lower, settings, victim: bob.id, others: [carol.id, mallory.id] })
    read()
    await expect.poll(() => codesOf(bob, chat)).toContain('refused')
    await expect.poll(() => findGroup(coreOf(bob).store, lower)?.status).toBe('open')
    await expectOneGroup()
  })

  test.for([0, 1])(
    'also when the member follows one of the same number that names an admin as its maker (after %d other commits)',
    async (epochs, { alice, bob, carol, mallory, chat, missTheFarewell, carolCarriesOn, expectOneGroup }) => {
      const read = missTheFarewell(bob)
      await carolCarriesOn(bob)
      const settings = groupSettings([alice], { chat, generation: 9, maker: alice.id })
      // By its id, it is before the other one.
      const first = groupIdFromBytes(new Uint8Array(GROUP_ID_BYTES).with(GROUP_ID_BYTES - 1, 1 + epochs))
      await openForged(mallory, { group: first, settings, victim: bob.id, others: [carol.id, alice.id], epochs })
      read()
      await expect.poll(() => codesOf(bob, chat)).toContain('refused')
      await expectOneGroup()
    },
  )

  test('also when its number is far ahead', async ({ bob, missTheFarewell, carolCarriesOn, expectOneGroup }) => {
    const generation = contentLimits.generationStepMax - 1
    const read = missTheFarewell(bob)
    await carolCarriesOn(bob, { generation })
    read()
    await expectOneGroup(generation + 1)
  })

  test('also when its number is the last one that the others follow, by two groups ten minutes apart', async ({
    clock,
    alice,
    bob,
    carol,
    chat,
    missTheFarewell,
    carolCarriesOn,
  }) => {
    const honest = [alice, bob, carol]
    const generation = contentLimits.generationStepMax
    const generationFor = (person: TestPerson) => findGroup(coreOf(person).store, groupOf(person, chat))?.generation
    const read = missTheFarewell(bob)
    await carolCarriesOn(bob, { generation })
    read()
    const laterMs = clock.nowMs() + clientLimits.answerRefusedEveryMs
    await expect.poll(() => refusalsToAnswer(coreOf(bob).store).some(({ fromMs }) => fromMs >= laterMs)).toBe(true)
    expect(generationFor(bob)).toBe(generation)
    clock.advance(clientLimits.answerRefusedEveryMs)
    for (const person of honest) await expect.poll(() => generationFor(person)).toBe(generation + 1)
    expect(new Set(honest.map(person => groupOf(person, chat))).size).toBe(1)
    await expectAllHear(chat, honest)
  })

  test('unless its number is one that nobody follows', async ({ alice, bob, carol, chat }) => {
    const before = groupOf(bob, chat)
    const group = groupIdFromBytes(coreOf(carol).provider.randomBytes(GROUP_ID_BYTES))
    const generation = contentLimits.generationStepMax + 1
    const settings = groupSettings([alice], { chat, generation })
    await openForged(carol, { group, settings, victim: bob.id, others: [alice.id] })
    for (const person of [alice, bob]) await expect.poll(() => codesOf(person, chat)).toContain('refused')
    for (const person of [alice, bob]) expect(refusalsToAnswer(coreOf(person).store)).toEqual([])
    await expectAllHear(chat, [alice, bob, carol])
    for (const person of [alice, bob, carol]) expect(groupOf(person, chat)).toBe(before)
  })

  test('also when the member was making a group itself', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    missTheFarewell,
    carolCarriesOn,
    expectOneGroup,
  }) => {
    const read = missTheFarewell(bob)
    const commits: Uint8Array[] = []
    bob.wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      if (frame.kind !== 'call' || frame.name !== 'commit') return [bytes]
      commits.push(bytes.slice())
      return []
    }
    const settings = groupSettings([alice], { chat, generation: 1 })
    const making = carryOn(bob, chat, { settings, members: [alice, bob, carol, mallory] })
    await expect.poll(() => commits.length).toBe(1)
    expect(findGroup(coreOf(bob).store, groupOf(bob, chat))?.status).toBe('opening')
    await carolCarriesOn(bob)
    read()
    await expect.poll(() => codesOf(bob, chat)).toContain('refused')
    bob.wire.outgoing = frame => [frame]
    for (const commit of commits) bob.wire.say(commit)
    await making
    await expectOneGroup()
  })

  test('also when the chat was waiting for its owner, who has accepted it by now', async ({
    clock,
    world,
    alice,
    bob,
    carol,
    chat,
    missTheFarewell,
    carolCarriesOn,
  }) => {
    const dave = await world.person(`dave of ${alice.name}`, { clock, acceptRequests: 'ask' })
    await alice.client.chats.addMembers(chat, [dave.id], WITHIN)
    await alice.say(chat, 'hello dave')
    await expect
      .poll(() => dave.client.chats.list().map(({ id, state }) => `${id} ${state}`))
      .toEqual([`${chat} request`])
    for (const person of [bob, carol]) await expect.poll(() => membersFor(person, chat)).toContain(dave.id)
    const read = missTheFarewell(dave)
    await carolCarriesOn(dave, { more: [dave] })
    read()
    await expect.poll(() => chatOfRefused(coreOf(dave).store, groupOf(carol, chat))).toBe(chat)
    await dave.client.chats.accept(chat)
    for (const person of [alice, bob, carol, dave])
      await expect.poll(() => findGroup(coreOf(person).store, groupOf(person, chat))?.generation).toBe(10)
    await expectAllHear(chat, [alice, bob, carol, dave])
  })

  test('also when an attempt to answer it has failed, unless the chat has its answer by then', async ({
    clock,
    alice,
    chat,
  }) => {
    const fromMs = clock.nowMs() + HOUR_MS
    const leftAfterFailure = (database: Database, generation: number): number[] => {
      noteRefusal(database, chat, { generation, nowMs: clock.nowMs() })
      putOffRefusal(database, chat, fromMs)
      return refusalsToAnswer(database).map(refusal => refusal.fromMs)
    }
    // Alice, the admin, has made the group in force, whose number is 0.
    const left = await coreOf(alice).store.write(database => [
      leftAfterFailure(database, 1),
      leftAfterFailure(database, 0),
    ])
    expect(left).toEqual([[fromMs], []])
  })
})

test('[CORE-14.55] after a group that could not be opened, the chat is in the group that the others are in', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const everybody = [alice, bob, carol, mallory]
  // The first of all groups by id. All follow the one of the admin.
  const first = groupIdFromBytes(new Uint8Array(GROUP_ID_BYTES))
  const settings = groupSettings([alice], { chat, generation: 1 })
  await openForged(mallory, { group: first, settings, victim: bob.id, others: [alice.id, carol.id] })
  for (const person of [alice, bob, carol]) await expect.poll(() => groupOf(person, chat)).toBe(first)
  await carryOn(alice, chat, { settings, members: everybody })
  for (const person of [bob, carol]) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(alice, chat))
  const { groups, store } = coreOf(bob)
  const run = groups.run.bind(groups)
  groups.run = async (id, work) => {
    if (findGroup(store, id)?.status !== 'opening') return await run(id, work)
    groups.run = run
    throw new CodedError('stopping')
  }
  const next = { ...settings, generation: 2 }
  await expect(carryOn(bob, chat, { settings: next, members: everybody })).rejects.toThrow()
  expect(groupOf(bob, chat)).toBe(groupOf(alice, chat))
  await expectAllHear(chat, [alice, bob, carol])
})
