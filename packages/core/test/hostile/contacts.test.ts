// People who were not accepted, and actions of a client without its owner: none of them makes anyone accepted.
import type { ChatId } from '@postern/protocol'
import { decodeClientFrame, encodeClientFrame } from '@postern/protocol/relay'
import type { Pass, TestPerson } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect, vi } from 'vitest'
import { HurriedClock } from './hurried-clock.ts'
import { commitAs, coreOf, groupOf, keyPackagesOf } from './modified-client.ts'
import { breakGroup, speakIn } from './team.ts'

const knowsProfileOf = (person: TestPerson, other: TestPerson): boolean =>
  coreOf(person).store.get('SELECT 1 FROM person WHERE account_id = ? AND profile_key IS NOT NULL', other.id) !==
  undefined

const test = base
  .extend('clock', () => new HurriedClock())
  .extend('bot', ({ clock, world }) => world.person('bot', { bot: true, acceptRequests: 'contacts', clock }))
  .extend('friend', ({ clock, world }) => world.person('friend', { clock }))
  .extend('mallory', ({ clock, world }) => world.person('mallory', { clock }))
  .extend(
    'stateOf',
    ({ bot }) =>
      (chat: ChatId) =>
        bot.client.chats.list().find(({ id }) => id === chat)?.state,
  )
  .extend('openTeam', ({ mallory, bot, friend }) => async (): Promise<ChatId> => {
    const id = await friend.createGroup('team', [bot, mallory])
    await friend.say(id, 'before')
    for (const person of [bot, mallory]) await person.hears('before')
    return id
  })
  .extend('expectStillAtTheDoor', ({ mallory, bot, friend, stateOf }) => async (): Promise<void> => {
    // A modified client speaks in any chat that the bot has opened with it.
    const { store } = coreOf(mallory)
    await store.write(database => database.run("UPDATE chat SET state = 'active', visible = 1 WHERE id = ?", bot.id))
    await mallory.say(bot, 'let me in')
    await friend.say(bot, 'a mark')
    await bot.hears('a mark')
    await expect.poll(() => stateOf(mallory.chatId)).toBe('request')
  })

test.beforeEach(async ({ bot, friend }) => {
  await friend.openInvite(bot.client.identity.me().inviteUrl)
  await friend.say(bot, 'hello bot')
  await bot.hears('hello bot')
})

test.afterEach(async ({ clock }) => {
  clock.stop()
})

describe('[CORE-14.26] who shares a group with a bot and is no contact', () => {
  test('is not let in by a message that the bot cannot read', async ({
    mallory,
    bot,
    openTeam,
    expectStillAtTheDoor,
  }) => {
    const chat = await openTeam()
    await speakIn(mallory, groupOf(mallory, chat), { body: { kind: 'text', text: 'unread' }, spoilt: true })
    await bot.next('notice', event => event.notice.code === 'undecryptable')
    await expect
      .poll(() => coreOf(bot).store.get('SELECT 1 FROM mark_question WHERE asked = 1') !== undefined)
      .toBe(true)
    await expectStillAtTheDoor()
  })

  test('is not let in by a commit that the bot cannot read', async ({
    mallory,
    bot,
    openTeam,
    expectStillAtTheDoor,
  }) => {
    const chat = await openTeam()
    await breakGroup(mallory, chat)
    await bot.next('notice', event => event.notice.code === 'undecryptable')
    await bot.next('notice', event => event.notice.code === 'restarted')
    await expectStillAtTheDoor()
  })
})

/** Nobody can follow the welcomes that are sent. */
const spoiling: Pass = bytes => {
  const frame = decodeClientFrame(bytes.slice())
  if (frame.kind !== 'call' || frame.name !== 'commit' || !frame.request.welcome) return [bytes]
  return [encodeClientFrame({ ...frame, request: { ...frame.request, welcome: new Uint8Array(300).fill(7) } })]
}

describe('[CORE-14.27] a group of a stranger', () => {
  test('whose welcome is spoilt is not made active by a contact who speaks there', async ({
    mallory,
    bot,
    friend,
    stateOf,
  }) => {
    const chat = await mallory.createGroup('trap', [friend])
    mallory.wire.outgoing = spoiling
    const add = await keyPackagesOf(mallory, [bot.id])
    await commitAs(mallory, chat, () => ({ add }))
    await friend.next('notice', event => event.notice.code === 'joined')
    await friend.say(chat, 'who is here?')
    await mallory.hears('who is here?')
    await friend.say(bot, 'a mark')
    await bot.hears('a mark')
    const isAsked = () => coreOf(friend).store.get('SELECT 1 FROM rejoin') !== undefined
    const isJoined = () => coreOf(bot).groups.has(groupOf(mallory, chat))
    await vi.waitFor(() => expect(isJoined()).toBe(true), { timeout: 3_000 }).catch(() => undefined)
    await expect.poll(isAsked).toBe(false)
    await friend.say(chat, 'and now?')
    await mallory.hears('and now?')
    await friend.say(bot, 'another mark')
    await bot.hears('another mark')
    expect(stateOf(chat)).not.toBe('active')
    expect(knowsProfileOf(mallory, bot)).toBe(false)
  })
})
