// A stranger with an honest relay who is not accepted: spoiling its own welcome does not bypass the owner's decision.
import { encryptMessage } from '@postern/mls'
import { type ChatId, clientLimits, groupIdFromBytes } from '@postern/protocol'
import { decodeClientFrame, encodeClientFrame } from '@postern/protocol/relay'
import { type Pass, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { openPrivateChat } from '../../src/chats/opening/open-chat.ts'
import { coreOf, deadlineOf, openForged } from './modified-client.ts'

/** Nobody can follow the welcomes that are sent. */
const spoiling: Pass = bytes => {
  const frame = decodeClientFrame(bytes.slice())
  if (frame.kind !== 'call' || frame.name !== 'commit' || !frame.request.welcome) return [bytes]
  return [encodeClientFrame({ ...frame, request: { ...frame.request, welcome: new Uint8Array(300).fill(7) } })]
}

const stateOf = (person: TestPerson, chat: ChatId) => person.client.chats.list().find(({ id }) => id === chat)?.state

const GROUPS = 30

const busyWorld = base.extend('worldOptions', {
  relayLimits: { takesPerMinute: 10_000, takesPerTargetPerMinute: 10_000 },
})

busyWorld(
  '[CORE-14.41] many groups with spoilt welcomes leave a bounded number of groups and notes',
  async ({ world, mallory }) => {
    const bot = await world.person('open bot', { bot: true, acceptRequests: 'all' })
    const { store } = coreOf(bot)
    const count = (sql: string, ...values: string[]) => store.all(sql, ...values).length
    mallory.wire.outgoing = spoiling
    for (let at = 0; at < GROUPS; at++) {
      const group = groupIdFromBytes(coreOf(mallory).provider.randomBytes(16))
      const settings = { v: 1, type: 'private', generation: at, timerMs: 0 } as const
      const session = await openForged(mallory, { group, settings, victim: bot.id })
      const { wire: payload } = await encryptMessage(session, new Uint8Array([1]))
      await coreOf(mallory).link.call('append', { payload, to: undefined, leave: false })
    }
    mallory.wire.outgoing = frame => [frame]
    await expect.poll(() => count('SELECT 1 FROM lost_group WHERE healed = 0')).toBe(0)
    expect(count('SELECT 1 FROM lost_group')).toBeLessThanOrEqual(clientLimits.lostGroupsPerSpeakerMax)
    expect(count('SELECT 1 FROM mls_group WHERE chat_id = ?', mallory.chatId)).toBe(1)
    await bot.say(mallory, 'still here')
    await expect.poll(() => mallory.texts(bot)).toContain('still here')
  },
)

base('[CORE-14.41] a private chat keeps the newest of the groups that it was in', async ({ alice, bob }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
  const kept = (person: TestPerson, other: TestPerson, table: string) =>
    coreOf(person).store.all(
      `SELECT 1 FROM ${table} WHERE group_id IN (SELECT id FROM mls_group WHERE chat_id = ?)`,
      other.chatId,
    ).length
  for (let generation = 1; generation <= clientLimits.supersededGroupsMax.private + 5; generation++) {
    const core = coreOf(alice)
    await openPrivateChat(core, { account: bob.id }, { deadline: deadlineOf(alice), atLeast: generation })
    await alice.say(bob, `in group ${generation}`)
    await bob.hears(`in group ${generation}`)
  }
  for (const [person, other] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    const all = coreOf(person).store.all('SELECT 1 FROM mls_state').length
    expect(kept(person, other, 'mls_state')).toBe(clientLimits.supersededGroupsMax.private + 1)
    expect(all).toBe(clientLimits.supersededGroupsMax.private + 1)
  }
  await bob.say(alice, 'still here')
  await alice.hears('still here')
})

const test = base
  .extend('bot', ({ world }) => world.person('bot', { bot: true, acceptRequests: 'contacts' }))
  .extend(
    'isInFriend',
    ({ bot }) =>
      (person: TestPerson): boolean =>
        coreOf(person).store.get('SELECT 1 FROM person WHERE account_id = ? AND profile_key IS NOT NULL', bot.id) !==
        undefined,
  )
  /** The people that the bot has talked to know its name. */
  .extend('expectNothingGivenAway', ({ world, mallory, bot, isInFriend }) => async (): Promise<void> => {
    const friend = await world.person('friend')
    await friend.openInvite(bot.client.identity.me().inviteUrl)
    await friend.say(bot, 'a mark')
    await expect.poll(() => bot.texts(friend)).toContain('a mark')
    expect(isInFriend(mallory)).toBe(false)
    expect(mallory.client.chats.list().map(chat => chat.id)).toEqual([bot.id])
    expect(mallory.texts(bot)).toEqual(['let me in'])
  })

test('[CORE-14.10] who is no contact and spoils the welcome stays a request, and learns nothing', async ({
  mallory,
  bot,
  expectNothingGivenAway,
}) => {
  mallory.wire.outgoing = spoiling
  await mallory.say(bot, 'let me in')
  await expect.poll(() => stateOf(bot, mallory.chatId)).toBe('request')
  await expectNothingGivenAway()
  expect(stateOf(bot, mallory.chatId)).toBe('request')
})

test('[CORE-14.10] the owner may accept it, and then the two can talk', async ({ mallory, bot }) => {
  mallory.wire.outgoing = spoiling
  await mallory.say(bot, 'let me in')
  await expect.poll(() => stateOf(bot, mallory.chatId)).toBe('request')
  mallory.wire.outgoing = frame => [frame]
  await bot.client.chats.accept(mallory.chatId)
  await expect
    .poll(
      async () =>
        await bot.say(mallory, 'come in').then(
          () => 'said',
          () => 'not yet',
        ),
    )
    .toBe('said')
  await mallory.hears('come in')
  await mallory.say(bot, 'thank you')
  await bot.hears('thank you')
})

test('[CORE-14.10] a group of a stranger, whose welcome is spoilt, opens no private chat with it', async ({
  mallory,
  bot,
  isInFriend,
}) => {
  mallory.wire.outgoing = spoiling
  const { id } = await mallory.client.chats.createGroup({ name: 'trap', members: [bot.id] }, WITHIN)
  await mallory.say(id, 'let me in')
  await expect.poll(() => bot.client.chats.list().length).toBe(1)
  expect(stateOf(bot, mallory.chatId)).toBe('request')
  expect(isInFriend(mallory)).toBe(false)
})
