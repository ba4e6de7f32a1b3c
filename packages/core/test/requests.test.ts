// Requests: what is said in them is told in order once they are accepted, and who is accepted brings along its groups.
import type { ChatId, MessageId } from '@postern/protocol'
import { ManualClock, type Person, passTime, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { setChatState } from '../src/chats/chats.ts'
import type { JournalEvent } from '../src/journal/journal.ts'
import { coreOf } from './hostile/modified-client.ts'
import { sayBody } from './hostile/team.ts'

let world: World
let bot: Person
let alice: Person
let mallory: Person

beforeEach(async () => {
  world = await World.start()
  bot = await world.person('bot', { bot: true, acceptRequests: 'contacts' })
  alice = await world.person('alice')
  mallory = await world.person('mallory')
})
afterEach(() => world.stop())

const idOf = ({ id }: { id: string }) => id as MessageId
const stateOf = (chat: ChatId) => bot.client.chats().find(({ id }) => id === chat)?.state

const told = (chat: ChatId, since = 0): JournalEvent[] =>
  bot.client.journal
    .read(since, 1000)
    .map(({ json }) => JSON.parse(json) as JournalEvent)
    .filter(event => event.chat_id === chat)

/** Type, and what it says. */
const inShort = (event: JournalEvent): string => {
  if (event.type === 'reaction') return `reaction ${event.reaction.emoji}`
  if (event.type === 'deleted' || event.type === 'expired') return event.type
  if (event.type === 'chat') return `chat ${event.chat.state}`
  if (event.type === 'notice') return `notice ${event.notice.code}`
  if (!('message' in event)) return event.type
  const { text, poll } = event.message
  return `${event.type} ${poll ? poll.options.map(({ votes }) => votes).join('-') : text}`
}

/** What was said before it has been read. */
async function mark(speaker: Person, chat: ChatId, seenAs: ChatId): Promise<void> {
  await speaker.say(chat, 'mark')
  await expect.poll(() => bot.texts(seenAs).at(-1)).toBe('mark')
}

describe('[CORE-19.1] what is said about messages of a request', () => {
  test('is told in order when it is accepted, each once and as it stands by then', async () => {
    const one = idOf(await alice.say(bot, 'one'))
    const chat = bot.chatId
    await alice.client.react(chat, { message: one, emoji: '🦊' }, WITHIN)
    const two = idOf(await alice.say(bot, 'two'))
    for (const text of ['two, better', 'two, best'])
      await alice.client.editMessage(chat, { message: two, text }, WITHIN)
    await alice.client.react(chat, { message: one, emoji: '🐙' }, WITHIN)
    const poll = { question: 'which?', options: ['a', 'b'], multiple: false }
    const asked = idOf(await alice.client.sendPoll(chat, poll, WITHIN))
    for (const option of [0, 1]) await alice.client.vote(chat, { message: asked, options: [option] }, WITHIN)
    const gone = idOf(await alice.say(bot, 'gone'))
    await alice.client.react(chat, { message: gone, emoji: '🐙' }, WITHIN)
    await alice.client.deleteMessage(chat, { message: gone, for: 'all' }, WITHIN)
    await mark(alice, chat, alice.chatId)
    expect(told(alice.chatId).map(inShort)).toEqual(['chat request'])
    await bot.client.acceptChat(alice.chatId)
    expect(told(alice.chatId).slice(1).map(inShort)).toEqual([
      'message one',
      'message two, best',
      'edited two, best',
      'reaction 🐙',
      'message 0-1',
      'poll 0-1',
      'message mark',
    ])
    await alice.client.react(chat, { message: one, emoji: '🦊' }, WITHIN)
    expect((await bot.next('reaction', ({ reaction }) => reaction.emoji === '🦊')).reaction.message_id).toBe(one)
    expect(coreOf(bot).store.all('SELECT * FROM held_event')).toEqual([])
  })

  test('takes no more room, however often it is said', async () => {
    const one = idOf(await mallory.say(bot, 'one'))
    for (let at = 0; at < 20; at++) {
      await mallory.client.editMessage(bot.chatId, { message: one, text: `edit ${at}` }, WITHIN)
      await mallory.client.react(bot.chatId, { message: one, emoji: at % 2 ? '🦊' : '🐙' }, WITHIN)
    }
    // Of what is not there nothing is kept.
    const target = 'a'.repeat(32) as MessageId
    await sayBody(mallory, bot.chatId, { kind: 'reaction', target, emoji: '🦊' })
    await sayBody(mallory, bot.chatId, { kind: 'edit', target, text: 'x' })
    await mark(mallory, bot.chatId, mallory.chatId)
    expect(coreOf(bot).store.all('SELECT * FROM held_event')).toHaveLength(2)
  })

  test('is told of messages from before the bot was taken out and invited again', async () => {
    await alice.openInvite(bot.client.me().inviteUrl)
    const chat = (await alice.client.createGroup({ name: 'team', members: [bot.id, mallory.id] }, WITHIN)).id as ChatId
    await mallory.next('chat', event => event.chat_id === chat)
    const [kept, gone] = [idOf(await mallory.say(chat, 'kept')), idOf(await mallory.say(chat, 'gone'))]
    await bot.hears('gone')
    await alice.hears('gone')
    await alice.client.removeMembers(chat, [bot.id], WITHIN)
    await bot.next('notice', ({ notice }) => notice.code === 'removed')
    await mallory.next('notice', ({ notice }) => notice.code === 'removed')
    await mallory.client.addMembers(chat, [bot.id], WITHIN)
    await mallory.say(chat, 'again')
    await expect.poll(() => stateOf(chat)).toBe('request')
    const since = bot.client.journal.newest()
    await mallory.client.editMessage(chat, { message: kept, text: 'kept on' }, WITHIN)
    await mallory.client.deleteMessage(chat, { message: gone, for: 'all' }, WITHIN)
    await mark(mallory, chat, chat)
    expect(told(chat, since)).toEqual([])
    await bot.client.acceptChat(chat)
    expect(told(chat, since).map(inShort)).toEqual(['message again', 'edited kept on', 'deleted', 'message mark'])
  })

  test('is told behind the message itself, also of a poll that was over before it was asked', async () => {
    await mallory.say(bot, 'hello')
    const poll = { question: 'which?', options: ['a', 'b'], multiple: false, closeTs: 1 }
    await sayBody(mallory, bot.chatId, { kind: 'poll', ...poll })
    const isClosed = () => bot.client.messages(mallory.chatId, { limit: 1 })[0]?.poll?.closed
    await expect.poll(isClosed).toBe(true)
    await bot.client.acceptChat(mallory.chatId)
    expect(told(mallory.chatId).map(inShort)).toEqual(['chat request', 'message hello', 'message 0-0', 'poll 0-0'])
  })

  test('is told of a poll that closed meanwhile by its time', async () => {
    const clock = new ManualClock(Date.now())
    const timed = await World.start({ relayClock: clock })
    try {
      const speaker = await timed.person('alice', { clock })
      const asking = await timed.person('asking', { acceptRequests: 'ask', clock })
      const poll = { question: 'soon?', options: ['a', 'b'], multiple: false, closeTs: Date.now() + 3_600_000 }
      await speaker.client.sendPoll(asking.chatId, poll, WITHIN)
      await asking.next('chat')
      await expect.poll(() => asking.client.messages(speaker.chatId, { limit: 1 })).toHaveLength(1)
      const isClosed = () => asking.client.messages(speaker.chatId, { limit: 1 })[0]?.poll?.closed
      clock.leap(3_600_000)
      await passTime(clock, expect.poll(isClosed).toBe(true))
      await asking.client.acceptChat(speaker.chatId)
      expect((await asking.next('poll')).message.poll?.closed).toBe(true)
    } finally {
      await timed.stop()
    }
  })
})

test('[CORE-19.3] a request from which the bot is taken out in that moment is not accepted any more', async () => {
  const { id } = await mallory.client.createGroup({ name: 'short', members: [bot.id] }, WITHIN)
  const chat = id as ChatId
  await mallory.say(chat, 'in it')
  await expect.poll(() => stateOf(chat)).toBe('request')
  const removal = coreOf(bot).store.write(database => setChatState(database, chat, 'left'))
  await expect(bot.client.acceptChat(chat)).rejects.toMatchObject({ code: 'chat-left' })
  await removal
  expect(stateOf(chat)).toBe('left')
  expect(told(chat).map(inShort)).toEqual(['chat request'])
})

test('[CORE-19.3] accepted twice at the same moment, it is told once', async () => {
  await alice.say(bot, 'one')
  await expect.poll(() => bot.texts(alice)).toEqual(['one'])
  await Promise.all([bot.client.acceptChat(alice.chatId), bot.client.acceptChat(alice.chatId)])
  expect(told(alice.chatId).map(inShort)).toEqual(['chat request', 'message one'])
})

describe('[CORE-19.2] who is let in', () => {
  const groupOf = async (maker: Person, name: string, others: Person[] = []): Promise<ChatId> => {
    const members = [bot.id, ...others.map(other => other.id)]
    const { id } = await maker.client.createGroup({ name, members }, WITHIN)
    await maker.say(id as ChatId, `in ${name}`)
    return id as ChatId
  }

  test('by hand brings along the groups to which it has invited, and those to which it will', async () => {
    const [first, second] = [await groupOf(alice, 'first'), await groupOf(alice, 'second')]
    await alice.say(bot, 'hello')
    await expect.poll(() => bot.texts(alice)).toEqual(['hello'])
    for (const chat of [first, second]) await expect.poll(() => stateOf(chat)).toBe('request')
    await expect.poll(() => bot.texts(second)).toEqual(['in second'])
    await bot.client.acceptChat(alice.chatId)
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

  test('opens no group of anybody else, also where it is a member and speaks', async () => {
    const trap = await groupOf(mallory, 'trap', [alice])
    await alice.next('chat', event => event.chat_id === trap)
    await alice.say(bot, 'hello')
    await expect.poll(() => stateOf(trap)).toBe('request')
    await expect.poll(() => bot.texts(alice)).toEqual(['hello'])
    await bot.client.acceptChat(alice.chatId)
    await alice.say(trap, 'who is here?')
    await expect.poll(() => bot.texts(trap)).toEqual(['in trap', 'who is here?'])
    expect(stateOf(trap)).toBe('request')
    await mallory.say(bot, 'let me in')
    await expect.poll(() => stateOf(mallory.chatId)).toBe('request')
  })

  test('in a group is no contact by that', async () => {
    const first = await groupOf(mallory, 'first')
    await expect.poll(() => stateOf(first)).toBe('request')
    await bot.client.acceptChat(first)
    const second = await groupOf(mallory, 'second')
    await mallory.say(bot, 'let me in')
    await expect.poll(() => stateOf(mallory.chatId)).toBe('request')
    expect(stateOf(second)).toBe('request')
  })

  test('by the link brings along its groups at once, too', async () => {
    const first = await groupOf(alice, 'first')
    await expect.poll(() => stateOf(first)).toBe('request')
    await alice.openInvite(bot.client.me().inviteUrl)
    await bot.next('chat', ({ chat }) => chat.id === alice.id && chat.state === 'active')
    expect(stateOf(first)).toBe('active')
  })

  test('by somebody who is asked for each chat brings along nothing', async () => {
    const asking = await world.person('asking', { acceptRequests: 'ask' })
    const { id } = await alice.client.createGroup({ name: 'first', members: [asking.id] }, WITHIN)
    await alice.say(id as ChatId, 'in it')
    await alice.say(asking, 'hello')
    await expect.poll(() => asking.client.chats().length).toBe(2)
    await asking.client.acceptChat(alice.chatId)
    expect(asking.client.chat(id as ChatId).state).toBe('request')
  })

  test('stays so over a restart', async () => {
    await alice.say(bot, 'hello')
    await expect.poll(() => stateOf(alice.chatId)).toBe('request')
    await bot.client.acceptChat(alice.chatId)
    await world.close(bot)
    bot = await world.person('bot', { bot: true, acceptRequests: 'contacts' })
    const chat = await groupOf(alice, 'later')
    await expect.poll(() => stateOf(chat)).toBe('active')
  })
})
