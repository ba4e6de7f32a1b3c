// getUpdates and the shapes of updates: what libraries read, in the order and under the offsets that they expect.
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { derivedNumber } from '../src/ids/chat-numbers.ts'
import { refused, type Shown, Telegram, test } from './telegram.ts'

const names = (updates: Shown) => (updates as Shown[]).map(update => update['message']?.text)

test('[TELEGRAM-2.1] offset, limit and a negative offset confirm as in Telegram', async ({ alice, telegram, chat }) => {
  for (const text of ['one', 'two', 'three']) await alice.say(telegram.toBot, text)
  let updates: Shown = []
  while (updates['length'] < 3) updates = await telegram.ok('getUpdates', { offset: 0 })
  expect(names(updates).slice(-3)).toEqual(['one', 'two', 'three'])
  expect(
    names(await telegram.ok('getUpdates', { limit: 1, offset: updates[updates['length'] - 2].update_id })),
  ).toEqual(['two'])
  expect(names(await telegram.ok('getUpdates', { offset: -1 }))).toEqual(['three'])
  // The earlier ones are forgotten.
  expect(names(await telegram.ok('getUpdates'))).toEqual(['three'])
  expect(chat).toBeGreaterThan(0)
})

test('[TELEGRAM-2.2] a second poll ends the first one with 409', async ({ telegram, chat, alice }) => {
  const offset = -1
  await telegram.ok('getUpdates', { offset })
  const [last] = (await telegram.ok('getUpdates', { offset })) as Shown[]
  const first = telegram.call('getUpdates', { offset: last?.['update_id'] + 1, timeout: 50 })
  let isOver = false
  const second = telegram.call('getUpdates', { offset: last?.['update_id'] + 1, timeout: 50 })
  void first.finally(() => (isOver = true))
  const ended = await Promise.race([first, second])
  expect(ended).toEqual(
    refused('Conflict: terminated by other getUpdates request; make sure that only one bot instance is running', 409),
  )
  await alice.say(telegram.toBot, 'next')
  const answers = await Promise.all([first, second])
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
  expect([isOver, chat > 0]).toEqual([true, true])
})

test('[TELEGRAM-2.3] only the types that the bot asked for, also when it does not repeat them', async ({
  telegram,
  alice,
  chat,
}) => {
  const sent = await telegram.ok('sendMessage', { chat_id: chat, text: 'react' })
  const { id } = await alice.hears('react')
  await telegram.ok('getUpdates', { allowed_updates: ['message_reaction'] })
  await alice.say(telegram.toBot, 'not wanted')
  await alice.client.messages.react(telegram.toBot, { message: id, emoji: '👍' }, WITHIN)
  const [update] = (await telegram.ok('getUpdates', { timeout: 50 })) as Shown[]
  expect(update).toMatchObject({
    message_reaction: {
      message_id: sent['message_id'],
      chat: { id: chat },
      new_reaction: [{ type: 'emoji', emoji: '👍' }],
    },
  })
})

test('[TELEGRAM-2.4] a message: chat, sender, commands, formatting, and the message that it answers', async ({
  telegram,
  alice,
  chat,
}) => {
  const sent = await telegram.ok('sendMessage', { chat_id: chat, text: 'Question' })
  const { id } = await alice.hears('Question')
  const entities = [{ type: 'strike' as const, offset: 5, length: 2 }]
  await alice.client.messages.sendText(
    telegram.toBot,
    { text: '/ask me https://a.example.', entities, replyTo: id },
    WITHIN,
  )
  expect(await telegram.next('message')).toMatchObject({
    chat: { id: chat, type: 'private', first_name: 'alice' },
    from: { id: chat, is_bot: false, first_name: 'alice' },
    date: expect.any(Number),
    text: '/ask me https://a.example.',
    entities: [
      { type: 'bot_command', offset: 0, length: 4 },
      { type: 'strikethrough', offset: 5, length: 2 },
      { type: 'url', offset: 8, length: 17 },
    ],
    reply_to_message: { message_id: sent['message_id'], text: 'Question' },
  })
})

test('[TELEGRAM-2.4] an edit, and a poll with its votes', async ({ telegram, alice, chat }) => {
  const said = await alice.say(telegram.toBot, 'mistkae')
  const { message_id: number } = await telegram.next('message')
  await alice.client.messages.edit(telegram.toBot, { message: said.id, text: 'mistake' }, WITHIN)
  expect(await telegram.next('edited_message')).toMatchObject({
    message_id: number,
    text: 'mistake',
    edit_date: expect.any(Number),
  })
  const sent = await telegram.ok('sendPoll', {
    chat_id: chat,
    question: 'Lunch?',
    options: ['Soup', { text: 'Salad' }],
  })
  const { id } = (await alice.next('message', event => event.message.poll !== undefined)).message
  await alice.client.messages.vote(telegram.toBot, { message: id, options: [1] }, WITHIN)
  expect(await telegram.next('poll')).toMatchObject({
    id: sent['poll'].id,
    total_voter_count: 1,
    options: [
      { text: 'Soup', voter_count: 0 },
      { text: 'Salad', voter_count: 1 },
    ],
  })
  expect(await telegram.ok('stopPoll', { chat_id: chat, message_id: sent['message_id'] })).toMatchObject({
    is_closed: true,
  })
})

test('[TELEGRAM-2.4] a group: the bot comes, people come and go, the title changes', async ({
  telegram,
  alice,
  bob,
  carol,
}) => {
  const group = await alice.client.chats.createGroup(
    { name: 'crew', members: [telegram.gateway.client.account, bob.id] },
    WITHIN,
  )
  const coming = await telegram.next('my_chat_member')
  // Her private chat may come first.
  const member = coming['chat'].type === 'group' ? coming : await telegram.next('my_chat_member')
  expect(member).toMatchObject({
    chat: { type: 'group', title: 'crew' },
    old_chat_member: { status: 'left' },
    new_chat_member: { status: 'member', user: { is_bot: true } },
  })
  expect(member['chat'].id).toBeLessThan(0)
  expect(await telegram.next('message')).toMatchObject({ group_chat_created: true, from: { first_name: 'alice' } })
  await alice.client.chats.addMembers(group.id, [carol.id], WITHIN)
  await carol.next('chat')
  const carols = derivedNumber(carol.id)
  expect((await telegram.next('message'))['new_chat_members']).toMatchObject([{ id: carols, is_bot: false }])
  await alice.client.chats.renameGroup(group.id, 'team', WITHIN)
  expect((await telegram.next('message'))['new_chat_title']).toBe('team')
  await carol.client.chats.leaveGroup(group.id, WITHIN)
  expect((await telegram.next('message'))['left_chat_member']).toMatchObject({ id: carols })
})

test('[TELEGRAM-2.5] native code reads all updates beside it', async ({ telegram, alice, chat }) => {
  await alice.say(telegram.toBot, 'for both')
  await telegram.next('message')
  const { body } = await telegram.gateway.api<Shown[]>('GET', '/v1/updates?limit=100')
  expect(body.map(update => update['message']?.text)).toContain('for both')
  expect(chat).toBeGreaterThan(0)
})

test('[TELEGRAM-4.1] numbers of chats, people and messages are the same after a restart', async ({
  world,
  telegram,
  alice,
  chat,
}) => {
  const sent = await telegram.ok('sendMessage', { chat_id: chat, text: 'before' })
  await world.closeGateway(telegram.gateway)
  const again = new Telegram(await world.gateway({ TELEGRAM_API: 'on' }))
  await again.gateway.client.whenOnline(WITHIN)
  await again.ok('editMessageText', { chat_id: chat, message_id: sent['message_id'], text: 'after' })
  expect((await alice.next('edited')).message.text).toBe('after')
  expect(await again.ok('getChat', { chat_id: chat })).toMatchObject({ id: chat, first_name: 'alice' })
  const next = await again.ok('sendMessage', { chat_id: chat, text: 'next' })
  expect(next['message_id']).toBe(sent['message_id'] + 1)
})

test('[TELEGRAM-4.2] a chat keeps its number even if the records of numbers are lost, and our own ids work, too', async ({
  telegram,
  alice,
  chat,
}) => {
  const records = telegram.gateway.client.records('telegram-chats')
  await records.change(...records.all().map(({ key }) => ({ key, remove: true as const })))
  await telegram.ok('sendMessage', { chat_id: chat, text: 'by number' })
  await alice.hears('by number')
  await telegram.ok('sendMessage', { chat_id: alice.id, text: 'by id' })
  await alice.hears('by id')
})
