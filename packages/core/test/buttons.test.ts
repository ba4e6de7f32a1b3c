// Buttons under a bot's messages: who may press them, who receives the press, and how it is answered.
import type { Message } from '@postern/bot-api/objects'
import { isCoded, type PressId } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const BUTTONS = [
  [
    { text: 'Yes', data: 'yes' },
    { text: 'No', data: 'no' },
  ],
  [{ text: 'Help', url: 'https://example.org' }],
]

const rejectsWith = (code: Parameters<typeof isCoded>[1]) => (error: unknown) => isCoded(error, code)
const eventsOf = (person: TestPerson) =>
  person.client.journal.read(0, 1000).map(entry => (JSON.parse(entry.json) as { type: string }).type)

const test = base
  .extend('worldOptions', ({ relayClock }) => ({ relayClock }))
  .extend('bot', ({ clock, world }) => world.person('bot', { bot: true, clock }))
  .extend(
    'chat',
    async ({ alice, bob, bot }) =>
      (await bot.client.chats.createGroup({ name: 'all', members: [alice.id, bob.id] }, WITHIN)).id,
  )
  .extend('offered', ({ alice, bob, bot, chat }) => async (): Promise<Message> => {
    const said = await bot.client.messages.sendText(chat, { text: 'Well?', buttons: BUTTONS }, WITHIN)
    await alice.hears('Well?')
    await bob.hears('Well?')
    return said
  })
  .extend(
    'press',
    ({ chat }) =>
      (person: TestPerson, message: Message, data: string) =>
        person.client.messages.press(chat, { message: message.id, data }, WITHIN),
  )

test.beforeEach(async ({ alice, bob, bot, chat }) => {
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  await bob.openInvite(bot.client.identity.me().inviteUrl)
  await alice.next('chat', event => event.chat_id === chat)
  await bob.next('chat', event => event.chat_id === chat)
})

test('[CORE-6.7] they stand under a bot’s message, stay or go with an edit, and are not for people', async ({
  alice,
  bot,
  offered,
  chat,
}) => {
  const said = await offered()
  expect(alice.client.messages.get(chat, said.id).buttons).toEqual(BUTTONS)
  const edit = (change: object) => bot.client.messages.edit(chat, { message: said.id, ...change }, WITHIN)
  expect(await edit({ text: 'Now?' })).toMatchObject({ text: 'Now?', buttons: BUTTONS })
  const other = [[{ text: 'Ok', data: 'ok' }]]
  expect(await edit({ buttons: other })).toMatchObject({ text: 'Now?', buttons: other })
  expect(await edit({ buttons: [] })).not.toHaveProperty('buttons')
  await alice.next('edited', event => event.message.buttons === undefined)
  expect(alice.client.messages.get(chat, said.id)).toMatchObject({ text: 'Now?' })
  await expect(alice.client.messages.sendText(chat, { text: 'me too', buttons: BUTTONS }, WITHIN)).rejects.toSatisfy(
    rejectsWith('bad-field'),
  )
})

test('[CORE-6.13] they are under a poll of a bot too, are pressed there, and are not for people', async ({
  alice,
  bot,
  chat,
  press,
}) => {
  const asked = { question: 'Which?', options: ['this', 'that'], multiple: false, buttons: BUTTONS }
  const said = await bot.client.messages.sendPoll(chat, asked, WITHIN)
  const { message } = await alice.next('message', event => event.message.id === said.id)
  expect(message.buttons).toEqual(BUTTONS)
  await press(alice, said, 'yes')
  expect((await bot.next('button')).button).toMatchObject({ message_id: said.id, data: 'yes' })
  await expect(press(alice, said, 'never')).rejects.toSatisfy(rejectsWith('bad-field'))
  await expect(alice.client.messages.sendPoll(chat, asked, WITHIN)).rejects.toSatisfy(rejectsWith('bad-field'))
})

test('[CORE-6.7] of two edits that cross neither undoes the other', async ({ alice, bob, bot, offered, chat }) => {
  const said = await offered()
  const edit = (change: object) => bot.client.messages.edit(chat, { message: said.id, ...change }, WITHIN)
  await Promise.all([edit({ text: 'Crossed' }), edit({ buttons: [] })])
  for (const person of [alice, bob]) {
    await person.next('edited', event => event.message.text === 'Crossed' && event.message.buttons === undefined)
    expect(person.client.messages.get(chat, said.id)).toMatchObject({ text: 'Crossed' })
  }
  expect(bot.client.messages.get(chat, said.id)).toEqual(expect.not.objectContaining({ buttons: expect.anything() }))
})

test('[CORE-6.8] a press reaches the bot alone, and once, also when its answer was lost', async ({
  alice,
  bob,
  bot,
  offered,
  press,
  chat,
}) => {
  const said = await offered()
  const before = eventsOf(bob).length
  let isLost = false
  alice.wire.incoming = frame => {
    // The answer to the press is lost with the connection: she cannot know that the relay has it.
    const decoded = decodeRelayFrame(frame)
    if (isLost || decoded.kind !== 'answer' || decoded.name !== 'appendMarked') return [frame]
    isLost = true
    queueMicrotask(() => alice.wire.drop())
    return []
  }
  const pressId = await press(alice, said, 'yes')
  expect((await bot.next('button')).button).toEqual({
    message_id: said.id,
    from: { id: alice.id, name: 'alice' },
    data: 'yes',
    press_id: pressId,
  })
  await bot.say(chat, 'counted')
  await bob.hears('counted')
  await alice.hears('counted')
  expect(eventsOf(bot).filter(type => type === 'button')).toHaveLength(1)
  expect(
    eventsOf(bob)
      .slice(before)
      .filter(type => type !== 'chat'),
  ).toEqual(['message'])
})

test('[CORE-6.9] what an edit has just taken away is heard; what never stood there, or stands elsewhere, is not', async ({
  alice,
  bob,
  bot,
  offered,
  chat,
  press,
}) => {
  const said = await offered()
  bob.wire.hold()
  await bot.client.messages.edit(chat, { message: said.id, buttons: [[{ text: 'New', data: 'new' }]] }, WITHIN)
  const late = press(bob, said, 'no')
  bob.wire.release()
  await late
  expect((await bot.next('button')).button.data).toBe('no')

  await expect(press(bob, said, 'https://example.org')).rejects.toSatisfy(rejectsWith('bad-field'))
  await expect(press(bob, said, 'never')).rejects.toSatisfy(rejectsWith('bad-field'))
  const plain = await alice.client.messages.sendText(chat, { text: 'no bot' }, WITHIN)
  await bob.hears('no bot')
  await expect(press(bob, plain, 'yes')).rejects.toSatisfy(rejectsWith('bad-field'))

  bob.wire.hold()
  await bot.client.messages.delete(chat, { message: said.id, for: 'all' }, WITHIN)
  const tooLate = press(bob, said, 'new').catch(() => undefined)
  bob.wire.release()
  await tooLate
  await bob.say(chat, 'after it')
  await bot.hears('after it')
  expect(eventsOf(bot).filter(type => type === 'button')).toHaveLength(1)
})

test('[CORE-6.10] it is answered once, within a minute, and the presser alone is told', async ({
  clock,
  alice,
  bob,
  bot,
  offered,
  press,
  chat,
}) => {
  const said = await offered()
  const first = await press(alice, said, 'yes')
  await bot.next('button')
  await bot.client.messages.answerPress(first, 'Thanks', WITHIN)
  expect((await alice.next('toast')).toast).toEqual({ press_id: first, text: 'Thanks' })
  await expect(bot.client.messages.answerPress(first, 'again', WITHIN)).rejects.toSatisfy(rejectsWith('press-answered'))
  const unknown = first.replace(/^./, letter => (letter === 'a' ? 'b' : 'a')) as PressId
  await expect(bot.client.messages.answerPress(unknown, 'who?', WITHIN)).rejects.toSatisfy(
    rejectsWith('press-not-found'),
  )
  await expect(alice.client.messages.answerPress(first, 'me', WITHIN)).rejects.toSatisfy(rejectsWith('press-not-found'))

  const second = await press(bob, said, 'no')
  await bot.next('button')
  // Far more than a minute: the press has the relay's time, which has advanced while this clock was stopped.
  clock.leap(3_600_000)
  await expect(bot.client.messages.answerPress(second, 'late', WITHIN)).rejects.toSatisfy(rejectsWith('press-too-late'))
  await passTime(clock, bot.client.whenOnline({ timeoutMs: 3_600_000 }))
  await bot.say(chat, 'done')
  await bob.hears('done')
  expect(eventsOf(bob)).not.toContain('toast')
})

test('[CORE-6.10] of two answers at once one is sent', async ({ alice, bot, offered, press }) => {
  const said = await offered()
  const pressed = await press(alice, said, 'yes')
  await bot.next('button')
  const answers = ['one', 'two'].map(text => bot.client.messages.answerPress(pressed, text, WITHIN))
  expect((await Promise.allSettled(answers)).map(answer => answer.status)).toEqual(['fulfilled', 'rejected'])
  expect((await alice.next('toast')).toast.text).toBe('one')
})

test('[CORE-6.10] a bot that is no longer in the group cannot answer, whether it knows that yet or not', async ({
  alice,
  bob,
  bot,
}) => {
  const { id: hers } = await alice.client.chats.createGroup({ name: 'hers', members: [bot.id, bob.id] }, WITHIN)
  await alice.say(hers, 'hello')
  await bot.hears('hello')
  const said = await bot.client.messages.sendText(hers, { text: 'Well?', buttons: BUTTONS }, WITHIN)
  await bob.hears('Well?')
  const pressed = await bob.client.messages.press(hers, { message: said.id, data: 'yes' }, WITHIN)
  await bot.next('button')
  const rejects = async () =>
    await expect(bot.client.messages.answerPress(pressed, 'late', WITHIN)).rejects.toSatisfy(rejectsWith('chat-left'))
  const isRefusal = (frame: Uint8Array) => decodeRelayFrame(frame.slice()).kind === 'failure'
  bot.wire.hold()
  await alice.client.chats.removeMembers(hers, [bot.id], WITHIN)
  const unknowing = rejects()
  await expect.poll(() => bot.wire.held.some(isRefusal)).toBe(true)
  // The relay's refusal comes before the news of the removal.
  bot.wire.release(frames => [...frames.filter(isRefusal), ...frames.filter(frame => !isRefusal(frame))])
  await unknowing
  await bot.next('chat', event => event.chat_id === hers && event.chat.state === 'left')
  await rejects()
})

test('[CORE-6.11] a message with buttons can be edited at any time, one without for two days', async ({
  clock,
  relayClock,
  bot,
  chat,
  offered,
}) => {
  const plain = await bot.say(chat, 'plain')
  const said = await offered()
  for (const one of [clock, relayClock]) one.leap(72 * 3_600_000)
  await passTime(clock, bot.client.whenOnline({ timeoutMs: 3_600_000 }))
  const edit = (message: Message) => bot.client.messages.edit(chat, { message: message.id, text: 'later' }, WITHIN)
  expect((await edit(said)).text).toBe('later')
  await expect(edit(plain)).rejects.toSatisfy(rejectsWith('edit-too-late'))
})
