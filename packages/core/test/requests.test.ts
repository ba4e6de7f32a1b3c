// Requests: their content is reported in order once they are accepted,
// and an accepted person's groups are accepted, too.
import { messageIdOf } from '@postern/bot-api'
import type { ChatId } from '@postern/protocol'
import { passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { setChatState } from '../src/chats/records/chats.ts'
import type { JournalEvent } from '../src/journal/journal.ts'
import { coreOf } from './hostile/modified-client.ts'
import { sayBody } from './hostile/team.ts'

/** The type of an event, and its content. */
const inShort = (event: JournalEvent): string => {
  if (event.type === 'reaction') return `reaction ${event.reaction.emoji}`
  if (event.type === 'deleted' || event.type === 'expired') return event.type
  if (event.type === 'chat') return `chat ${event.chat.state}`
  if (event.type === 'notice') return `notice ${event.notice.code}`
  if (!('message' in event)) return event.type
  const { text, poll } = event.message
  return `${event.type} ${poll ? poll.options.map(({ votes }) => votes).join('-') : text}`
}

const test = base
  .extend('bot', ({ world }) => world.person('bot', { bot: true, acceptRequests: 'contacts' }))
  .extend(
    'stateOf',
    ({ bot }) =>
      (chat: ChatId, by = bot) =>
        by.client.chats.list().find(({ id }) => id === chat)?.state,
  )
  .extend(
    'told',
    ({ bot }) =>
      (chat: ChatId, since = 0): JournalEvent[] =>
        bot.client.journal
          .read(since, 1000)
          .map(({ json }) => JSON.parse(json) as JournalEvent)
          .filter(event => event.chat_id === chat),
  )
  /** Waits until everything before it has been read. */
  .extend('mark', ({ bot }) => async (speaker: TestPerson, chat: ChatId, seenAs: ChatId): Promise<void> => {
    await speaker.say(chat, 'mark')
    await expect.poll(() => bot.texts(seenAs).at(-1)).toBe('mark')
  })
  .extend(
    'groupOf',
    ({ bot }) =>
      async (maker: TestPerson, name: string, others: TestPerson[] = []): Promise<ChatId> => {
        const members = [bot.id, ...others.map(other => other.id)]
        const { id } = await maker.client.chats.createGroup({ name, members }, WITHIN)
        await maker.say(id, `in ${name}`)
        return id
      },
  )

describe('[CORE-19.1] what is said about messages of a request', () => {
  test('is told in order when it is accepted, each once and as it stands by then', async ({
    alice,
    bot,
    mark,
    told,
  }) => {
    const { id: one } = await alice.say(bot, 'one')
    const chat = bot.chatId
    await alice.client.messages.react(chat, { message: one, emoji: '🦊' }, WITHIN)
    const { id: two } = await alice.say(bot, 'two')
    for (const text of ['two, better', 'two, best'])
      await alice.client.messages.edit(chat, { message: two, text }, WITHIN)
    await alice.client.messages.react(chat, { message: one, emoji: '🐙' }, WITHIN)
    const poll = { question: 'which?', options: ['a', 'b'], multiple: false }
    const { id: asked } = await alice.client.messages.sendPoll(chat, poll, WITHIN)
    for (const option of [0, 1]) await alice.client.messages.vote(chat, { message: asked, options: [option] }, WITHIN)
    const { id: gone } = await alice.say(bot, 'gone')
    await alice.client.messages.react(chat, { message: gone, emoji: '🐙' }, WITHIN)
    await alice.client.messages.delete(chat, { message: gone, for: 'all' }, WITHIN)
    await mark(alice, chat, alice.chatId)
    expect(told(alice.chatId).map(inShort)).toEqual(['chat request'])
    await bot.client.chats.accept(alice.chatId)
    expect(told(alice.chatId).slice(1).map(inShort)).toEqual([
      'message one',
      'message two, best',
      'edited two, best',
      'reaction 🐙',
      'message 0-1',
      'poll 0-1',
      'message mark',
    ])
    await alice.client.messages.react(chat, { message: one, emoji: '🦊' }, WITHIN)
    expect((await bot.next('reaction', ({ reaction }) => reaction.emoji === '🦊')).reaction.message_id).toBe(one)
    expect(coreOf(bot).store.all('SELECT * FROM held_event')).toEqual([])
  })

  test('takes no more room, however often it is said', async ({ mallory, bot, mark }) => {
    const { id: one } = await mallory.say(bot, 'one')
    for (let at = 0; at < 20; at++) {
      await mallory.client.messages.edit(bot.chatId, { message: one, text: `edit ${at}` }, WITHIN)
      await mallory.client.messages.react(bot.chatId, { message: one, emoji: at % 2 ? '🦊' : '🐙' }, WITHIN)
    }
    // Nothing is kept about a missing message.
    const target = messageIdOf('a'.repeat(32))
    await sayBody(mallory, bot.chatId, { kind: 'reaction', target, emoji: '🦊' })
    await sayBody(mallory, bot.chatId, { kind: 'edit', target, text: 'x' })
    await mark(mallory, bot.chatId, mallory.chatId)
    expect(coreOf(bot).store.all('SELECT * FROM held_event')).toHaveLength(2)
  })

  test('is told of messages from before the bot was taken out and invited again', async ({
    alice,
    mallory,
    bot,
    stateOf,
    mark,
    told,
  }) => {
    await alice.openInvite(bot.client.identity.me().inviteUrl)
    const chat = (await alice.client.chats.createGroup({ name: 'team', members: [bot.id, mallory.id] }, WITHIN)).id
    await mallory.next('chat', event => event.chat_id === chat)
    const { id: kept } = await mallory.say(chat, 'kept')
    const { id: gone } = await mallory.say(chat, 'gone')
    await bot.hears('gone')
    await alice.hears('gone')
    await alice.client.chats.removeMembers(chat, [bot.id], WITHIN)
    await bot.next('notice', ({ notice }) => notice.code === 'removed')
    await mallory.next('notice', ({ notice }) => notice.code === 'removed')
    await mallory.client.chats.addMembers(chat, [bot.id], WITHIN)
    await mallory.say(chat, 'again')
    await expect.poll(() => stateOf(chat)).toBe('request')
    const since = bot.client.journal.newest()
    await mallory.client.messages.edit(chat, { message: kept, text: 'kept on' }, WITHIN)
    await mallory.client.messages.delete(chat, { message: gone, for: 'all' }, WITHIN)
    await mark(mallory, chat, chat)
    expect(told(chat, since)).toEqual([])
    await bot.client.chats.accept(chat)
    expect(told(chat, since).map(inShort)).toEqual(['message again', 'edited kept on', 'deleted', 'message mark'])
  })

  test('is told behind the message itself, also of a poll that was over before it was asked', async ({
    mallory,
    bot,
    told,
  }) => {
    await mallory.say(bot, 'hello')
    const poll = { question: 'which?', options: ['a', 'b'], multiple: false, closeTs: 1 }
    await sayBody(mallory, bot.chatId, { kind: 'poll', ...poll })
    const isClosed = () => bot.client.messages.list(mallory.chatId, { limit: 1 })[0]?.poll?.closed
    await expect.poll(isClosed).toBe(true)
    await bot.client.chats.accept(mallory.chatId)
    expect(told(mallory.chatId).map(inShort)).toEqual(['chat request', 'message hello', 'message 0-0', 'poll 0-0'])
  })

  const testInRelayTime = test.extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

  testInRelayTime('is told of a poll that closed meanwhile by its time', async ({ world, clock }) => {
    const speaker = await world.person('alice', { clock })
    const asking = await world.person('asking', { acceptRequests: 'ask', clock })
    const poll = { question: 'soon?', options: ['a', 'b'], multiple: false, closeTs: Date.now() + 3_600_000 }
    await speaker.client.messages.sendPoll(asking.chatId, poll, WITHIN)
    await asking.next('chat')
    await expect.poll(() => asking.client.messages.list(speaker.chatId, { limit: 1 })).toHaveLength(1)
    const isClosed = () => asking.client.messages.list(speaker.chatId, { limit: 1 })[0]?.poll?.closed
    clock.leap(3_600_000)
    await passTime(clock, expect.poll(isClosed).toBe(true))
    await asking.client.chats.accept(speaker.chatId)
    expect((await asking.next('poll')).message.poll?.closed).toBe(true)
  })
})

test('[CORE-19.3] a request from which the bot is taken out in that moment is not accepted any more', async ({
  mallory,
  bot,
  stateOf,
  told,
}) => {
  const { id: chat } = await mallory.client.chats.createGroup({ name: 'short', members: [bot.id] }, WITHIN)
  await mallory.say(chat, 'in it')
  await expect.poll(() => stateOf(chat)).toBe('request')
  const removal = coreOf(bot).store.write(database => setChatState(database, chat, 'left'))
  await expect(bot.client.chats.accept(chat)).rejects.toMatchObject({ code: 'chat-left' })
  await removal
  expect(stateOf(chat)).toBe('left')
  expect(told(chat).map(inShort)).toEqual(['chat request'])
})

test('[CORE-19.3] accepted twice at the same moment, it is told once', async ({ alice, bot, told }) => {
  await alice.say(bot, 'one')
  await expect.poll(() => bot.texts(alice)).toEqual(['one'])
  await Promise.all([bot.client.chats.accept(alice.chatId), bot.client.chats.accept(alice.chatId)])
  expect(told(alice.chatId).map(inShort)).toEqual(['chat request', 'message one'])
})

describe('[CORE-19.2] who is let in', () => {
  test('by hand brings along the groups to which it has invited, and those to which it will', async ({
    alice,
    bot,
    groupOf,
    stateOf,
    told,
  }) => {
    const [first, second] = [await groupOf(alice, 'first'), await groupOf(alice, 'second')]
    await alice.say(bot, 'hello')
    await expect.poll(() => bot.texts(alice)).toEqual(['hello'])
    for (const chat of [first, second]) await expect.poll(() => stateOf(chat)).toBe('request')
    await expect.poll(() => bot.texts(second)).toEqual(['in second'])
    await bot.client.chats.accept(alice.chatId)
    for (const [chat, name] of [
      [first, 'first'],
      [second, 'second'],
    ] as const) {
      expect(stateOf(chat)).toBe('active')
      expect(told(chat).map(inShort)).toEqual(['chat request', 'chat active', 'notice created', `message in ${name}`])
    }
    const third = await groupOf(alice, 'third')
    await bot.hears('in third')
    expect(stateOf(third)).toBe('active')
  })

  test('opens no group of anybody else, also where it is a member and speaks', async ({
    alice,
    mallory,
    bot,
    groupOf,
    stateOf,
  }) => {
    const trap = await groupOf(mallory, 'trap', [alice])
    await alice.next('chat', event => event.chat_id === trap)
    await alice.say(bot, 'hello')
    await expect.poll(() => stateOf(trap)).toBe('request')
    await expect.poll(() => bot.texts(alice)).toEqual(['hello'])
    await bot.client.chats.accept(alice.chatId)
    await alice.say(trap, 'who is here?')
    await expect.poll(() => bot.texts(trap)).toEqual(['in trap', 'who is here?'])
    expect(stateOf(trap)).toBe('request')
    await mallory.say(bot, 'let me in')
    await expect.poll(() => stateOf(mallory.chatId)).toBe('request')
  })

  test('in a group is no contact by that', async ({ mallory, bot, groupOf, stateOf }) => {
    const first = await groupOf(mallory, 'first')
    await expect.poll(() => stateOf(first)).toBe('request')
    await bot.client.chats.accept(first)
    const second = await groupOf(mallory, 'second')
    await mallory.say(bot, 'let me in')
    await expect.poll(() => stateOf(mallory.chatId)).toBe('request')
    expect(stateOf(second)).toBe('request')
  })

  test('by the link brings along its groups at once, too', async ({ alice, bot, groupOf, stateOf }) => {
    const first = await groupOf(alice, 'first')
    await expect.poll(() => stateOf(first)).toBe('request')
    await alice.openInvite(bot.client.identity.me().inviteUrl)
    await bot.next('chat', ({ chat }) => chat.id === alice.chatId && chat.state === 'active')
    expect(stateOf(first)).toBe('active')
  })

  test('by somebody who is asked for each chat brings along nothing', async ({ world, alice }) => {
    const asking = await world.person('asking', { acceptRequests: 'ask' })
    const { id } = await alice.client.chats.createGroup({ name: 'first', members: [asking.id] }, WITHIN)
    await alice.say(id, 'in it')
    await alice.say(asking, 'hello')
    await expect.poll(() => asking.client.chats.list().length).toBe(2)
    await asking.client.chats.accept(alice.chatId)
    expect(asking.client.chats.get(id).state).toBe('request')
  })

  test('stays so over a restart', async ({ world, alice, bot, stateOf, groupOf }) => {
    await alice.say(bot, 'hello')
    await expect.poll(() => stateOf(alice.chatId)).toBe('request')
    await bot.client.chats.accept(alice.chatId)
    await world.close(bot)
    const restarted = await world.person('bot', { bot: true, acceptRequests: 'contacts' })
    const chat = await groupOf(alice, 'later')
    await expect.poll(() => stateOf(chat, restarted)).toBe('active')
  })
})
