// A member that carries a group on as it likes:
// nobody is split off, nobody becomes an admin by it, and the chat continues.
import { encryptMessage } from '@postern/mls'
import { GROUP_ID_BYTES, type GroupId, groupIdFromBytes, isCoded, utf8 } from '@postern/protocol'
import type { TestPerson } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { findGroup } from '../../src/groups/group-records.ts'
import type { JournalEvent } from '../../src/journal/journal.ts'
import { test as base } from './fixtures.ts'
import { attacks } from './history-attacks.ts'
import { coreOf, groupOf, openForged } from './modified-client.ts'
import { adminsFor, groupSettings } from './team.ts'

const newGroupId = (person: TestPerson): GroupId =>
  groupIdFromBytes(coreOf(person).provider.randomBytes(GROUP_ID_BYTES))

const refused = expect.objectContaining({ code: 'refused' })

const test = base
  .extend(
    'attack',
    ({ bob, carol, mallory, chat }) =>
      async (name: string) =>
        await attacks[name]?.(mallory, { chat, victim: bob.id, stranger: carol.id }),
  )
  .extend(
    'expectAllHear',
    ({ alice, bob, carol, chat }) =>
      async (speaker: TestPerson, text: string): Promise<void> => {
        const say = () =>
          speaker.say(chat, text).then(
            () => 'said',
            (error: unknown) => (isCoded(error) ? error.code : error),
          )
        await expect.poll(say, { timeout: 100_000, interval: 100 }).toBe('said')
        for (const other of [alice, bob, carol]) await expect.poll(() => other.texts(chat)).toContain(text)
      },
  )
  .extend(
    'statusFor',
    ({ chat }) =>
      (person: TestPerson) =>
        findGroup(coreOf(person).store, groupOf(person, chat))?.status,
  )
  .extend(
    'noticesFor',
    ({ chat }) =>
      (person: TestPerson) =>
        person.client.journal
          .read(0, 1000)
          .map(({ json }) => JSON.parse(json) as JournalEvent)
          .filter(event => event.type === 'notice' && event.chat_id === chat),
  )

describe('[CORE-14.35] who is added anew by somebody who spoils the welcome', () => {
  test('is told of what it could not read until it is well again', async ({
    alice,
    bob,
    attack,
    chat,
    statusFor,
    expectAllHear,
    noticesFor,
  }) => {
    bob.wire.hold()
    await attack('adds somebody anew with a spoilt welcome')
    await alice.say(chat, 'bob cannot read this')
    bob.wire.release()
    await expect.poll(() => statusFor(bob)).toBe('broken')
    await expect.poll(() => statusFor(bob)).toBe('open')
    await expectAllHear(alice, 'to all of you')
    const notice = { code: 'undecryptable', from: { id: alice.id, name: alice.name } }
    expect(noticesFor(bob)).toContainEqual({ type: 'notice', chat_id: chat, notice })
  })

  test('says nothing with the keys that it has lost, also before that is written', async ({ bob, chat }) => {
    const { groups } = coreOf(bob)
    const found = groups.run(groupOf(bob, chat), async live => {
      live.isBroken = true
    })
    await expect(bob.say(chat, 'too early')).rejects.toMatchObject({ code: 'chat-healing' })
    await found
  })
})

describe('[CORE-14.34] a member who carries a group on', () => {
  test('with all by its keys and with one at the relay splits nobody off', async ({
    alice,
    bob,
    carol,
    chat,
    attack,
    expectAllHear,
  }) => {
    const before = groupOf(bob, chat)
    await attack('carries on with all, and tells one')
    await expect.poll(() => groupOf(bob, chat)).not.toBe(before)
    await expectAllHear(bob, 'to all of you')
    await expectAllHear(alice, 'and back')
    for (const person of [alice, carol]) expect(groupOf(person, chat)).toBe(groupOf(bob, chat))
  })

  test('as the last generation that can be written takes nobody the way on', async ({
    alice,
    bob,
    carol,
    mallory,
    attack,
    expectAllHear,
    chat,
  }) => {
    await attack('carries on as the last generation')
    await expectAllHear(bob, 'still the same')
    // A member ends the group they are in by then.
    await attacks['makes a commit that nobody can read']?.(carol, { chat, victim: bob.id, stranger: mallory.id })
    await expectAllHear(bob, 'we go on')
    expect(adminsFor(bob, chat)).toEqual([alice.id])
  })

  test('by a welcome into a group of its own under the same id captures nobody', async ({
    alice,
    bob,
    carol,
    attack,
    expectAllHear,
    chat,
  }) => {
    await attack('ends the group, and welcomes somebody into its own')
    await expectAllHear(bob, 'we go on')
    await expectAllHear(alice, 'so we do')
    for (const person of [alice, bob, carol]) expect(adminsFor(person, chat)).toEqual([alice.id])
    for (const person of [alice, carol]) expect(groupOf(person, chat)).toBe(groupOf(bob, chat))
  })

  test('with a welcome that one cannot read loses nobody without a word', async ({
    alice,
    bob,
    chat,
    attack,
    expectAllHear,
    noticesFor,
  }) => {
    const before = groupOf(alice, chat)
    await attack('carries on with a welcome that one cannot read')
    await expect.poll(() => groupOf(alice, chat)).not.toBe(before)
    await alice.say(chat, 'bob cannot read this')
    await expect.poll(() => groupOf(bob, chat)).toBe(groupOf(alice, chat))
    await expectAllHear(alice, 'to all of you')
    await expectAllHear(bob, 'and back')
    const notice = { code: 'undecryptable', from: { id: alice.id, name: alice.name } }
    expect(noticesFor(bob)).toContainEqual({ type: 'notice', chat_id: chat, notice })
  })

  test('after it has killed it, with itself as the admin, rules nobody', async ({
    alice,
    bob,
    carol,
    attack,
    expectAllHear,
    chat,
  }) => {
    await attack('kills, and carries on as an admin')
    await expectAllHear(bob, 'we go on')
    await expectAllHear(alice, 'so we do')
    for (const person of [alice, bob, carol]) expect(adminsFor(person, chat)).toEqual([alice.id])
  })
})

test('[CORE-14.43] what is said in a group that others were led into is reported by who has refused it', async ({
  clock,
  world,
  alice,
  mallory,
  chat,
  noticesFor,
}) => {
  const trent = await world.person('trent, who follows', { clock })
  const settings = groupSettings([alice], { chat, generation: 1 })
  const group = await openForged(mallory, {
    group: newGroupId(mallory),
    settings,
    victim: alice.id,
    others: [trent.id],
  })
  await expect.poll(() => noticesFor(alice)).toContainEqual(expect.objectContaining({ notice: refused }))
  const { wire: payload } = await encryptMessage(group, utf8('only for those who follow'))
  await coreOf(mallory).link.call('append', { payload, to: undefined, leave: false })
  const notice = { code: 'undecryptable', from: { id: mallory.id, name: mallory.name } }
  await expect.poll(() => noticesFor(alice)).toContainEqual({ type: 'notice', chat_id: chat, notice })
})
