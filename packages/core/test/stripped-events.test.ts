// A deleted or expired message leaves none of its text in waiting events of any type.
import type { ChatId, MessageId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const waiting = (person: TestPerson): string =>
  person.client.journal
    .read(0, 1000)
    .map(({ json }) => json)
    .join('\n')

const test = base
  .extend('bot', ({ clock, world }) => world.person('bot', { bot: true, clock }))
  .extend(
    'chat',
    ({ bot }) =>
      (): ChatId =>
        bot.chatId,
  )
  /**
   * A message of the bot that alice has reacted to and pressed, and one of alice that she has edited and reacted to.
   */
  .extend('talked', ({ alice, bot, chat }) => async (): Promise<{ own: MessageId; hers: MessageId }> => {
    const buttons = [[{ text: 'label-7', data: 'data-7' }]]
    const own = (await bot.client.messages.sendText(alice.chatId, { text: 'words-7', buttons }, WITHIN)).id
    await alice.hears('words-7')
    await alice.client.messages.react(chat(), { message: own, emoji: '🦊' }, WITHIN)
    await alice.client.messages.press(chat(), { message: own, data: 'data-7' }, WITHIN)
    await bot.next('button')
    const hers = (await alice.say(bot, 'words-8')).id
    await alice.client.messages.edit(chat(), { message: hers, text: 'edit-8' }, WITHIN)
    await alice.client.messages.react(chat(), { message: hers, emoji: '🐙' }, WITHIN)
    await bot.next('reaction', ({ reaction }) => reaction.emoji === '🐙')
    for (const word of ['data-7', '🦊', 'words-8', 'edit-8', '🐙']) expect(waiting(bot)).toContain(word)
    return { own, hers }
  })
  .extend('expectNothingLeft', ({ bot }) => (): void => {
    for (const word of ['words-7', 'label-7', 'data-7', '🦊', 'words-8', 'edit-8', '🐙'])
      expect(waiting(bot)).not.toContain(word)
  })

test.beforeEach(async ({ alice, bot }) => {
  await alice.say(bot, 'hello')
  await bot.hears('hello')
  await bot.say(alice, 'hello')
  await alice.hears('hello')
  await alice.client.identity.learnProfile(bot.id, WITHIN)
})

test('[CORE-18.9] a deleted message leaves no reaction and no press of it behind', async ({
  alice,
  bot,
  talked,
  chat,
  expectNothingLeft,
}) => {
  const { own, hers } = await talked()
  await alice.client.messages.delete(chat(), { message: hers, for: 'all' }, WITHIN)
  await bot.next('deleted')
  await bot.client.messages.delete(alice.chatId, { message: own, for: 'all' }, WITHIN)
  expectNothingLeft()
  const kept = bot.client.journal.read(0, 1000).map(({ json }) => JSON.parse(json) as Record<string, unknown>)
  const from = { id: alice.id, name: 'alice' }
  // Sender, chat and time stay; a reaction is reported as removed, as it is.
  expect(kept).toContainEqual({ type: 'reaction', chat_id: alice.id, reaction: { message_id: own, from, emoji: '' } })
  expect(kept).toContainEqual({
    type: 'button',
    chat_id: alice.id,
    button: { message_id: own, from, data: '', press_id: expect.any(String) },
  })
})

test('[CORE-18.9] neither does one that was deleted here alone', async ({ alice, bot, talked, expectNothingLeft }) => {
  const { own, hers } = await talked()
  for (const message of [own, hers]) await bot.client.messages.delete(alice.chatId, { message, for: 'me' }, WITHIN)
  expectNothingLeft()
})

test('[CORE-18.9] neither does one that has disappeared', async ({
  clock,
  alice,
  bot,
  chat,
  talked,
  expectNothingLeft,
}) => {
  await alice.client.chats.setTimer(chat(), 60_000, WITHIN)
  await bot.next('notice', ({ notice }) => notice.code === 'timer')
  await talked()
  await bot.client.messages.markRead(alice.chatId)
  // The due work is checked shortly after the burst; then the minute passes.
  clock.advance(1000)
  clock.advance(120_000)
  await expect
    .poll(() => bot.client.messages.list(alice.chatId, { limit: 100 }).map(({ text }) => text))
    .toEqual(['hello', 'hello'])
  expectNothingLeft()
})
