// A member whose client breaks the rules: the others refuse its changes, continue without it, and lose nothing.
import { clientLimits, groupIdFromBytes, groupIdToBytes } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import type { CommitPlan } from '../../src/groups/commit-group.ts'
import { endGroup, findGroup } from '../../src/groups/group-records.ts'
import { restartGroup } from '../../src/healing/restart-group.ts'
import { test as base } from './fixtures.ts'
import { commitAs, coreOf, deadlineOf, groupOf, keyPackagesOf, openForged } from './modified-client.ts'
import { adminsFor, ids, membersFor, type Team } from './team.ts'

const settingsOf = ({ alice, chat }: Team, person: TestPerson): GroupSettings => ({
  v: 1,
  type: 'group',
  title: person.client.chats.get(chat).name,
  admins: [alice.id],
  timerMs: 0,
  generation: 0,
})

let rounds = 0

const offences: [string, (team: Team) => CommitPlan, rule: RegExp][] = [
  ['removes the only admin', ({ alice }) => ({ remove: [alice.id] }), /only an admin removes/],
  ['removes somebody else', ({ carol }) => ({ remove: [carol.id] }), /only an admin removes/],
  [
    'makes itself admin',
    team => ({ settings: { ...settingsOf(team, team.mallory), admins: [team.mallory.id] } as GroupSettings }),
    /only an admin names/,
  ],
  [
    'takes away the admin',
    team => ({ settings: { ...settingsOf(team, team.mallory), admins: [] } as GroupSettings }),
    /only an admin names/,
  ],
  [
    'turns the group into a private chat',
    () => ({ settings: { v: 1, type: 'private', generation: 0, timerMs: 0 } }),
    /private chat/,
  ],
  [
    'turns it into another chat',
    team => ({ settings: { ...settingsOf(team, team.mallory), generation: 3, chat: team.chat } as GroupSettings }),
    /never changes/,
  ],
]

const test = base
  /** After a healing, all others receive each message once, and earlier ones are still there. */
  .extend('expectGoOn', ({ chat }) => async (honest: TestPerson[]): Promise<void> => {
    for (const [at, speaker] of honest.entries()) {
      const text = `${speaker.name} goes on ${++rounds}`
      const said = () =>
        speaker.say(chat, text).then(
          () => 'said',
          (error: unknown) => String(error),
        )
      await expect.poll(said, { timeout: 100_000, interval: 100 }).toBe('said')
      for (const other of honest.toSpliced(at, 1)) await expect.poll(() => other.texts(chat)).toContain(text)
    }
    for (const person of honest) {
      const texts = person.texts(chat)
      expect(texts.filter(text => text === 'before')).toEqual(['before'])
      expect(texts).toEqual([...new Set(texts)])
    }
  })
  /** A header in the epoch of the group, followed by noise. */
  .extend('killGroup', ({ mallory, chat }) => async (): Promise<void> => {
    const { link, provider, groups } = coreOf(mallory)
    const group = groupOf(mallory, chat)
    const epoch = await groups.run(group, async live => live.session.state.groupContext.epoch)
    const payload = provider.randomBytes(200)
    const view = new DataView(payload.buffer, payload.byteOffset)
    view.setUint16(0, 1)
    view.setUint16(2, 2)
    view.setUint8(4, 16)
    payload.set(groupIdToBytes(group), 5)
    view.setBigUint64(21, epoch)
    view.setUint8(29, 3)
    const request = { payload, add: [], remove: [], welcome: undefined }
    const verdict = await link.call('commit', request, deadlineOf(mallory).leftMs())
    expect(verdict.accepted).toBeDefined()
  })
  .extend(
    'refusedBy',
    ({ chat }) =>
      (person: TestPerson) =>
        coreOf(person).store.get<{ generation: number }>(
          'SELECT refused_generation AS generation FROM chat WHERE id = ?',
          chat,
        )?.generation,
  )

describe('[CORE-14.4] a member who', () => {
  test.for(offences)(
    '%s is refused by all, and out',
    async ([_what, plan, rule], { alice, bob, carol, mallory, team, chat, expectGoOn }) => {
      const honest = [alice, bob, carol]
      const made = plan(team)
      await commitAs(mallory, chat, () => made)
      for (const person of honest) {
        const { notice } = await person.next('notice', event => event.notice.code === 'refused')
        expect(notice).toMatchObject({ from: { id: mallory.id }, text: expect.stringMatching(rule) })
      }
      for (const person of honest) await person.next('notice', event => event.notice.code === 'restarted')
      await expectGoOn(honest)
      for (const person of honest) {
        expect(membersFor(person, chat)).toEqual(ids(honest))
        expect(adminsFor(person, chat)).toEqual([alice.id])
        expect(groupOf(person, chat)).toBe(groupOf(alice, chat))
      }
      await expect(mallory.say(chat, 'to nobody').then(() => bob.texts(chat))).resolves.not.toContain('to nobody')
    },
  )

  test('removes everybody leaves a group without an admin of its own: the first of the others is one', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    team,
    expectGoOn,
  }) => {
    await commitAs(alice, chat, () => ({
      settings: { ...settingsOf(team, alice), admins: [mallory.id] } as GroupSettings,
    }))
    await expect.poll(() => adminsFor(mallory, chat)).toEqual([mallory.id])
    const turned: GroupSettings = { v: 1, type: 'private', generation: 0, timerMs: 0 }
    await commitAs(mallory, chat, () => ({ settings: turned }))
    const honest = [alice, bob, carol]
    await expectGoOn(honest)
    for (const person of honest) expect(adminsFor(person, chat)).toEqual(ids(honest).slice(0, 1))
  })

  test('who is away when it happens goes on with the others when it is back', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    expectGoOn,
  }) => {
    carol.wire.cut()
    await commitAs(mallory, chat, () => ({ remove: [alice.id] }))
    await alice.next('notice', event => event.notice.code === 'restarted')
    await expectGoOn([alice, bob])
    carol.wire.mend()
    await carol.online()
    await expectGoOn([alice, bob, carol])
    expect(membersFor(carol, chat)).toEqual(ids([alice, bob, carol]))
  })
})

describe('[CORE-14.5] what an admin and a farewell allow', () => {
  test('an admin removes, a leaver is taken out by anybody, and nobody is refused', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    await carol.client.chats.leaveGroup(chat, WITHIN)
    await bob.next('notice', event => event.notice.code === 'left')
    await bob.say(chat, 'takes carol out')
    await alice.hears('takes carol out')
    await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
    await bob.next('notice', event => event.notice.code === 'removed')
    for (const person of [alice, bob]) {
      expect(membersFor(person, chat)).toEqual(ids([alice, bob]))
      expect(
        person.client.journal
          .read(0, 1000)
          .map(({ json }) => json)
          .join(),
      ).not.toContain('"refused"')
    }
  })
})

describe('[CORE-14.6] a private chat', () => {
  test('takes in no third one: the commit is refused, and the two go on', async ({ alice, carol, mallory }) => {
    await alice.say(mallory, 'hello mallory')
    await mallory.hears('hello mallory')
    const add = await keyPackagesOf(mallory, [carol.id])
    await commitAs(mallory, alice.chatId, () => ({ add }))
    await alice.next('notice', event => event.notice.code === 'refused')
    const say = () =>
      alice.say(mallory, 'between us').then(
        () => 'said',
        () => 'not yet',
      )
    await expect.poll(say).toBe('said')
    await mallory.hears('between us')
    expect(carol.client.chats.list().map(one => one.id)).not.toContain(alice.id)
    expect(alice.client.chats.get(mallory.chatId).members).toHaveLength(2)
  })
})

describe('[CORE-14.7] a commit that nobody can read', () => {
  test('ends no group: the others carry it on, with everybody in it', async ({
    alice,
    bob,
    carol,
    mallory,
    killGroup,
    expectGoOn,
    chat,
  }) => {
    await killGroup()
    const all = [alice, bob, carol, mallory]
    for (const person of all) await person.next('notice', event => event.notice.code === 'undecryptable')
    await expectGoOn(all)
    for (const person of all) {
      expect(membersFor(person, chat)).toEqual(ids(all))
      expect(groupOf(person, chat)).toBe(groupOf(alice, chat))
      expect(adminsFor(person, chat)).toEqual([alice.id])
    }
  })
})

describe('[CORE-14.17] two who carry a group on at once', () => {
  test('end in one group, and what either said first is heard by all', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    expectGoOn,
  }) => {
    await commitAs(mallory, chat, () => ({ remove: [alice.id] }))
    const honest = [alice, bob, carol]
    for (const person of honest) await person.next('notice', event => event.notice.code === 'refused')
    const group = groupOf(alice, chat)
    const carryOn = (person: TestPerson) =>
      restartGroup(coreOf(person), { chat, group, dueMs: 0 }, deadlineOf(person)).catch(() => undefined)
    await Promise.all([carryOn(bob), carryOn(carol), carryOn(alice)])
    await expectGoOn(honest)
    for (const person of honest) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(alice, chat))
    await expectGoOn(honest)
  })
})

describe('[CORE-14.19] a group that does more than its maker may', () => {
  test('made by one who did not know better, is answered by one into which everybody follows', async ({
    clock,
    world,
    alice,
    bob,
    carol,
    mallory,
    chat,
    expectGoOn,
  }) => {
    const relay = new HostileRelay(bob.wire)
    const old = groupOf(bob, chat)
    relay.changeEntries(entries => entries.filter(entry => entry.group !== old))
    const dave = await world.person(`dave of ${alice.name}`, { clock })
    await alice.client.chats.addMembers(chat, [dave.id], WITHIN)
    await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
    await dave.next('chat', event => event.chat_id === chat)
    const { store, groups } = coreOf(bob)
    await store.write(database => endGroup(database, old, { nowMs: clock.nowMs() }))
    groups.forget(old)
    await restartGroup(coreOf(bob), { chat, group: old, dueMs: 0 }, deadlineOf(bob))
    for (const person of [alice, carol]) await person.next('notice', event => event.notice.code === 'refused')
    const honest = [alice, bob, carol, dave]
    for (const person of honest) await expect.poll(() => membersFor(person, chat)).toEqual(ids(honest))
    for (const person of honest) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(alice, chat))
    expect(groupOf(alice, chat)).not.toBe(old)
    await expectGoOn([alice, bob, carol])
    await dave.say(chat, 'dave, too')
    for (const person of [alice, bob, carol]) await person.hears('dave, too')
  })

  test('again and again, is refused each time and answered once in ten minutes', async ({
    clock,
    alice,
    bob,
    carol,
    mallory,
    team,
    chat,
    refusedBy,
    expectGoOn,
  }) => {
    const settings = { ...settingsOf(team, mallory), admins: [mallory.id], chat } as GroupSettings
    const others = [alice.id, carol.id]
    const honest = [alice, bob, carol]
    for (const generation of [1, 11, 21, 31]) {
      const group = groupIdFromBytes(coreOf(mallory).provider.randomBytes(16))
      const forged = { group, settings: { ...settings, generation } as GroupSettings, victim: bob.id, others }
      await openForged(mallory, forged)
      for (const person of honest) await expect.poll(() => refusedBy(person)).toBe(generation)
      // Enough time for an answer.
      await expectGoOn(honest)
    }
    await expectGoOn([alice, bob, carol])
    for (const person of [alice, bob, carol]) expect(adminsFor(person, chat)).toEqual([alice.id])
    const groups = coreOf(alice).store.all('SELECT 1 FROM mls_group WHERE chat_id = ?', chat)
    expect(groups.length).toBeLessThanOrEqual(3)
    // The last ones are not forgotten: somebody may have followed them.
    const inForce = groupOf(alice, chat)
    clock.advance(clientLimits.answerRefusedEveryMs)
    for (const person of honest) await expect.poll(() => groupOf(person, chat)).not.toBe(inForce)
    expect(findGroup(coreOf(alice).store, groupOf(alice, chat))?.generation).toBe(32)
    await expectGoOn(honest)
  })
})

describe('[CORE-14.8] a committer who tells the relay something else', () => {
  test('cuts nobody off: all are told, and who was cut off is added anew', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    expectGoOn,
  }) => {
    await commitAs(mallory, chat, () => ({ atRelay: { remove: [bob.id] } }))
    for (const person of [alice, bob, carol]) {
      const { notice } = await person.next('notice', event => event.notice.code === 'cut_off')
      expect(notice).toMatchObject({ from: { id: mallory.id }, members: [{ id: bob.id }] })
    }
    await expectGoOn([alice, bob, carol, mallory])
  })
})
