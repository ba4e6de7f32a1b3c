// A stranger with an honest relay who is not let in: spoiling its own welcome is no way around the owner's word.
import type { ChatId } from '@postern/protocol'
import { decodeClientFrame, encodeClientFrame } from '@postern/protocol/relay'
import { type Pass, type Person, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { coreOf } from './modified-client.ts'

/** Nobody can follow the welcomes that go out. */
const spoiling: Pass = bytes => {
  const frame = decodeClientFrame(bytes.slice())
  if (frame.kind !== 'call' || frame.name !== 'commit' || !frame.request.welcome) return [bytes]
  return [encodeClientFrame({ ...frame, request: { ...frame.request, welcome: new Uint8Array(300).fill(7) } })]
}

const stateOf = (person: Person, chat: ChatId) => person.client.chats.list().find(({ id }) => id === chat)?.state

const test = base
  .extend('bot', ({ world }) => world.person('bot', { bot: true, acceptRequests: 'contacts' }))
  .extend(
    'isInFriend',
    ({ bot }) =>
      (person: Person): boolean =>
        coreOf(person).store.get('SELECT 1 FROM person WHERE account_id = ? AND profile_key IS NOT NULL', bot.id) !==
        undefined,
  )
  /** Whoever the bot has talked to has heard its name. */
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
