// A relay with an account of its own forges welcomes into other people's chats: none is followed, and nothing is read.
import type { GroupSession } from '@postern/mls'
import { type ChatId, groupChatId, groupIdFromBytes, privateChatId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { decodeClientFrame } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { canRead, coreOf, deliver, forgeWelcome, groupOf } from './modified-client.ts'

let casts = 0

const ofTwo = (generation: number): GroupSettings => ({ v: 1, type: 'private', generation, timerMs: 0 })
const ofMany = (admin: TestPerson, title: string): GroupSettings => ({
  v: 1,
  type: 'group',
  title,
  admins: [admin.id],
  timerMs: 0,
  generation: 0,
})

const test = base
  .extend('worldOptions', { scope: 'file' }, () => ({ relayLimits: { newPeoplePerDay: 1000 } }))
  .extend('number', () => ++casts)
  .extend('alice', ({ world, number }) => world.person(`alice ${number}`))
  .extend('bob', ({ world, number }) => world.person(`bob ${number}`))
  .extend('mallory', ({ world, number }) => world.person(`mallory ${number}`))
  .extend('relay', ({ alice }) => new HostileRelay(alice.wire))
  .extend('sent', (): Uint8Array[] => [])
  /** Alice's next message is for bob, whatever the relay has put into her mailbox. */
  .extend(
    'expectForBobAlone',
    ({ alice, bob, sent }) =>
      async (forged: GroupSession, chat: ChatId = bob.chatId): Promise<void> => {
        await alice.say(chat, 'for bob alone')
        await bob.hears('for bob alone')
        expect(sent.length).toBeGreaterThan(0)
        for (const wire of sent) expect(await canRead(forged, wire)).toBe(false)
      },
  )
  .extend('openGroup', ({ alice, bob }) => async (): Promise<ChatId> => {
    const id = await bob.createGroup('team', [alice])
    return id
  })

test.beforeEach(async ({ alice, bob, mallory, relay, sent }) => {
  await bob.say(alice, 'hello alice')
  await alice.hears('hello alice')
  await alice.say(bob, 'hello bob')
  await bob.hears('hello bob')
  relay.changeEntries(entries => entries)
  alice.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    // Messages to bob; a receipt to him alone may be sent at any time.
    if (frame.kind === 'call' && frame.name === 'appendMarked' && !frame.request.to) sent.push(frame.request.payload)
    return [bytes]
  }
  // Cursors that no entry of alice's has.
  await mallory.say(bob, 'one')
  await mallory.say(bob, 'two')
  await mallory.say(bob, 'three')
})

describe('[CORE-14.1] into a private chat', () => {
  test.for([
    ['as a private chat of its own', () => ofTwo(0)],
    ['of a higher generation', () => ofTwo(7)],
    ['as a group', (admin: TestPerson) => ofMany(admin, 'bob')],
  ] as const)(
    'under the id of its group, %s, is refused',
    async ([_what, settings], { alice, bob, mallory, relay, expectForBobAlone }) => {
      const group = groupOf(alice, bob.chatId)
      const { session, welcome } = await forgeWelcome(mallory, {
        group,
        settings: settings(mallory),
        victim: alice.id,
        epochs: 5,
      })
      deliver(relay, { kind: 'welcome', group, sender: bob.id, payload: welcome })
      await expect.poll(() => relay.shown).toBeGreaterThan(0)
      const refused = await alice.next('notice', event => event.notice.code === 'refused')
      expect(refused).toMatchObject({ chat_id: bob.id, notice: { from: { id: mallory.id } } })
      await expectForBobAlone(session)
      expect(groupOf(alice, bob.chatId)).toBe(group)
    },
  )

  test('with bob in it, too, and mallory as the third is refused', async ({
    alice,
    bob,
    mallory,
    relay,
    expectForBobAlone,
  }) => {
    const group = groupIdFromBytes(coreOf(mallory).provider.randomBytes(16))
    const { session, welcome } = await forgeWelcome(mallory, {
      group,
      settings: ofTwo(9),
      victim: alice.id,
      others: [bob.id],
    })
    deliver(relay, { kind: 'welcome', group, sender: bob.id, payload: welcome })
    await expectForBobAlone(session)
    expect(alice.client.chats.list().map(chat => chat.id)).not.toContain(privateChatId(mallory.id))
  })
})

describe('[CORE-14.2] into a group', () => {
  test('that is known and whole is refused, whoever is in it', async ({
    alice,
    bob,
    mallory,
    openGroup,
    relay,
    expectForBobAlone,
  }) => {
    const chat = await openGroup()
    const group = groupOf(alice, chat)
    const forged = { group, settings: ofMany(mallory, 'team'), victim: alice.id, epochs: 5 }
    const { session, welcome } = await forgeWelcome(mallory, { ...forged, others: [bob.id] })
    deliver(relay, { kind: 'welcome', group, sender: bob.id, payload: welcome })
    await alice.next('notice', event => event.notice.code === 'refused')
    await expectForBobAlone(session, chat)
  })

  test('that is known and lost is refused from somebody who was not in it', async ({
    alice,
    bob,
    mallory,
    openGroup,
    relay,
    sent,
  }) => {
    const chat = await openGroup()
    const group = groupOf(alice, chat)
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, payload: entry.payload.slice(0, 80) })))
    await bob.client.chats.renameGroup(chat, 'a commit that alice cannot read', WITHIN)
    await alice.next('notice', event => event.notice.code === 'undecryptable')
    const forged = { group, settings: ofMany(mallory, 'team'), victim: alice.id, epochs: 5 }
    const { session, welcome } = await forgeWelcome(mallory, forged)
    deliver(relay, { kind: 'welcome', group, sender: bob.id, payload: welcome })
    relay.changeEntries(entries => entries)
    await expect
      .poll(
        async () =>
          await alice.say(chat, 'for bob alone').then(
            () => 'said',
            () => 'not yet',
          ),
      )
      .toBe('said')
    await bob.hears('for bob alone')
    for (const wire of sent) expect(await canRead(session, wire)).toBe(false)
    expect(alice.client.chats.get(chat).members.map(member => member.id)).not.toContain(mallory.id)
  })

  test('that it claims to carry on is refused from somebody who was not in it', async ({
    alice,
    bob,
    mallory,
    openGroup,
    relay,
    expectForBobAlone,
  }) => {
    const chat = await openGroup()
    const group = groupIdFromBytes(coreOf(mallory).provider.randomBytes(16))
    const settings = { ...ofMany(mallory, 'team'), generation: 1, chat } as GroupSettings
    const { session, welcome } = await forgeWelcome(mallory, { group, settings, victim: alice.id, others: [bob.id] })
    deliver(relay, { kind: 'welcome', group, sender: bob.id, payload: welcome })
    await expectForBobAlone(session, chat)
    expect(groupOf(alice, chat)).not.toBe(group)
  })

  test('that alice has left is refused from somebody who was not in it', async ({
    alice,
    bob,
    mallory,
    openGroup,
    relay,
  }) => {
    const chat = await openGroup()
    const group = groupOf(alice, chat)
    await alice.client.chats.leaveGroup(chat, WITHIN)
    const forged = { group, settings: ofMany(mallory, 'team'), victim: alice.id, epochs: 5 }
    const { welcome } = await forgeWelcome(mallory, forged)
    deliver(relay, { kind: 'welcome', group, sender: bob.id, payload: welcome })
    await bob.say(alice, 'a mark')
    await alice.hears('a mark')
    expect(alice.client.chats.get(chat).state).toBe('left')
  })

  test('of a stranger’s own, under its own id, is an invitation like any other', async ({ alice, mallory }) => {
    const id = await mallory.createGroup('mine', [alice])
    expect(alice.client.chats.get(groupChatId(groupOf(mallory, id))).name).toBe('mine')
  })
})

describe('[CORE-14.3] the second wall', () => {
  test('keys that are not those of the people shown stop the send, are told, and heal', async ({
    alice,
    bob,
    mallory,
    sent,
  }) => {
    const group = groupOf(alice, bob.chatId)
    const { session } = await forgeWelcome(mallory, { group, settings: ofTwo(0), victim: alice.id })
    // As if a fault of ours had accepted it all the same.
    await coreOf(alice).groups.run(group, async live => {
      live.session = session
    })
    await expect(alice.say(bob, 'not like this')).rejects.toMatchObject({ code: 'chat-healing' })
    expect(sent).toEqual([])
    await alice.next('notice', event => event.notice.code === 'mismatch')
    await expect
      .poll(
        async () =>
          await alice.say(bob, 'healed').then(
            () => 'said',
            () => 'not yet',
          ),
      )
      .toBe('said')
    await bob.hears('healed')
    for (const wire of sent) expect(await canRead(session, wire)).toBe(false)
  })
})
