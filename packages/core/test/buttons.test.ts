// Buttons under a bot's messages: who may press them, who hears of it, and how it is answered.
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, isCoded, type MessageId, type PressId } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { ManualClock, type Person, passTime, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

let world: World
let clock: ManualClock
let bot: Person
let relayClock: ManualClock
let alice: Person
let bob: Person
let chat: ChatId

const BUTTONS = [
  [
    { text: 'Yes', data: 'yes' },
    { text: 'No', data: 'no' },
  ],
  [{ text: 'Help', url: 'https://example.org' }],
]

beforeEach(async () => {
  relayClock = new ManualClock(Date.now())
  world = await World.start({ relayClock })
  clock = new ManualClock(Date.now())
  bot = await world.person('bot', { bot: true, clock })
  alice = await world.person('alice')
  bob = await world.person('bob')
  await alice.openInvite(bot.client.me().inviteUrl)
  await bob.openInvite(bot.client.me().inviteUrl)
  const { id } = await bot.client.createGroup({ name: 'all', members: [alice.id, bob.id] }, WITHIN)
  chat = id as ChatId
  await alice.next('chat', event => event.chat_id === id)
  await bob.next('chat', event => event.chat_id === id)
})
afterEach(async () => {
  await world.stop()
})

const idOf = (message: Message) => message.id as MessageId
const rejectsWith = (code: Parameters<typeof isCoded>[1]) => (error: unknown) => isCoded(error, code)
const eventsOf = (person: Person) =>
  person.client.journal.read(0, 1000).map(entry => (JSON.parse(entry.json) as { type: string }).type)

async function offered(): Promise<Message> {
  const said = await bot.client.sendText(chat, { text: 'Well?', buttons: BUTTONS }, WITHIN)
  await alice.hears('Well?')
  await bob.hears('Well?')
  return said
}
const press = (person: Person, message: Message, data: string) =>
  person.client.press(chat, { message: idOf(message), data }, WITHIN)

test('[CORE-6.7] they stand under a bot’s message, stay or go with an edit, and are not for people', async () => {
  const said = await offered()
  expect(alice.client.message(chat, idOf(said)).buttons).toEqual(BUTTONS)
  const edit = (change: object) => bot.client.editMessage(chat, { message: idOf(said), ...change }, WITHIN)
  expect(await edit({ text: 'Now?' })).toMatchObject({ text: 'Now?', buttons: BUTTONS })
  const other = [[{ text: 'Ok', data: 'ok' }]]
  expect(await edit({ buttons: other })).toMatchObject({ text: 'Now?', buttons: other })
  expect(await edit({ buttons: [] })).not.toHaveProperty('buttons')
  await alice.next('edited', event => event.message.buttons === undefined)
  expect(alice.client.message(chat, idOf(said))).toMatchObject({ text: 'Now?' })
  await expect(alice.client.sendText(chat, { text: 'me too', buttons: BUTTONS }, WITHIN)).rejects.toSatisfy(
    rejectsWith('bad-field'),
  )
})

test('[CORE-6.7] of two edits that cross neither undoes the other', async () => {
  const said = await offered()
  const edit = (change: object) => bot.client.editMessage(chat, { message: idOf(said), ...change }, WITHIN)
  await Promise.all([edit({ text: 'Crossed' }), edit({ buttons: [] })])
  for (const person of [alice, bob]) {
    await person.next('edited', event => event.message.text === 'Crossed' && event.message.buttons === undefined)
    expect(person.client.message(chat, idOf(said))).toMatchObject({ text: 'Crossed' })
  }
  expect(bot.client.message(chat, idOf(said))).toEqual(expect.not.objectContaining({ buttons: expect.anything() }))
})

test('[CORE-6.8] a press reaches the bot alone, and once, also when its answer was lost', async () => {
  const said = await offered()
  const before = eventsOf(bob).length
  let isLost = false
  alice.wire.incoming = frame => {
    // The answer to the press is lost with the connection: she cannot know that the relay has it.
    const decoded = decodeRelayFrame(frame)
    if (isLost || decoded.kind !== 'answer' || decoded.name !== 'append') return [frame]
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

test('[CORE-6.9] what an edit has just taken away is heard; what never stood there, or stands elsewhere, is not', async () => {
  const said = await offered()
  bob.wire.hold()
  await bot.client.editMessage(chat, { message: idOf(said), buttons: [[{ text: 'New', data: 'new' }]] }, WITHIN)
  const late = press(bob, said, 'no')
  bob.wire.release()
  await late
  expect((await bot.next('button')).button.data).toBe('no')

  await expect(press(bob, said, 'https://example.org')).rejects.toSatisfy(rejectsWith('bad-field'))
  await expect(press(bob, said, 'never')).rejects.toSatisfy(rejectsWith('bad-field'))
  const plain = await alice.client.sendText(chat, { text: 'no bot' }, WITHIN)
  await bob.hears('no bot')
  await expect(press(bob, plain, 'yes')).rejects.toSatisfy(rejectsWith('bad-field'))

  bob.wire.hold()
  await bot.client.deleteMessage(chat, { message: idOf(said), for: 'all' }, WITHIN)
  const tooLate = press(bob, said, 'new').catch(() => undefined)
  bob.wire.release()
  await tooLate
  await bob.say(chat, 'after it')
  await bot.hears('after it')
  expect(eventsOf(bot).filter(type => type === 'button')).toHaveLength(1)
})

test('[CORE-6.10] it is answered once, within a minute, and the presser alone is told', async () => {
  const said = await offered()
  const first = await press(alice, said, 'yes')
  await bot.next('button')
  await bot.client.answerPress(first, 'Thanks', WITHIN)
  expect((await alice.next('toast')).toast).toEqual({ press_id: first, text: 'Thanks' })
  await expect(bot.client.answerPress(first, 'again', WITHIN)).rejects.toSatisfy(rejectsWith('press-answered'))
  const unknown = first.replace(/^./, letter => (letter === 'a' ? 'b' : 'a')) as PressId
  await expect(bot.client.answerPress(unknown, 'who?', WITHIN)).rejects.toSatisfy(rejectsWith('press-not-found'))
  await expect(alice.client.answerPress(first, 'me', WITHIN)).rejects.toSatisfy(rejectsWith('press-not-found'))

  const second = await press(bob, said, 'no')
  await bot.next('button')
  // More than a minute by far: the press has the relay's time, which has gone on while this clock stood.
  clock.leap(3_600_000)
  await expect(bot.client.answerPress(second, 'late', WITHIN)).rejects.toSatisfy(rejectsWith('press-too-late'))
  await passTime(clock, bot.client.whenOnline({ deadlineMs: 3_600_000 }))
  await bot.say(chat, 'done')
  await bob.hears('done')
  expect(eventsOf(bob)).not.toContain('toast')
})

test('[CORE-6.10] of two answers at once one is sent', async () => {
  const said = await offered()
  const pressed = await press(alice, said, 'yes')
  await bot.next('button')
  const answers = ['one', 'two'].map(text => bot.client.answerPress(pressed, text, WITHIN))
  expect((await Promise.allSettled(answers)).map(answer => answer.status)).toEqual(['fulfilled', 'rejected'])
  expect((await alice.next('toast')).toast.text).toBe('one')
})

test('[CORE-6.10] a bot that is no longer in the group cannot answer, whether it knows that yet or not', async () => {
  const { id } = await alice.client.createGroup({ name: 'hers', members: [bot.id, bob.id] }, WITHIN)
  const hers = id as ChatId
  await alice.say(hers, 'hello')
  await bot.hears('hello')
  const said = await bot.client.sendText(hers, { text: 'Well?', buttons: BUTTONS }, WITHIN)
  await bob.hears('Well?')
  const pressed = await bob.client.press(hers, { message: idOf(said), data: 'yes' }, WITHIN)
  await bot.next('button')
  const rejects = async () =>
    await expect(bot.client.answerPress(pressed, 'late', WITHIN)).rejects.toSatisfy(rejectsWith('chat-left'))
  const isRefusal = (frame: Uint8Array) => decodeRelayFrame(frame.slice()).kind === 'failure'
  bot.wire.hold()
  await alice.client.removeMembers(hers, [bot.id], WITHIN)
  const unknowing = rejects()
  await expect.poll(() => bot.wire.held.some(isRefusal)).toBe(true)
  // The relay's refusal comes before the news of the removal.
  bot.wire.release(frames => [...frames.filter(isRefusal), ...frames.filter(frame => !isRefusal(frame))])
  await unknowing
  await bot.next('chat', event => event.chat_id === id && event.chat.state === 'left')
  await rejects()
})

test('[CORE-6.11] a message with buttons can be edited at any time, one without for two days', async () => {
  const plain = await bot.say(chat, 'plain')
  const said = await offered()
  for (const one of [clock, relayClock]) one.leap(72 * 3_600_000)
  await passTime(clock, bot.client.whenOnline({ deadlineMs: 3_600_000 }))
  const edit = (message: Message) => bot.client.editMessage(chat, { message: idOf(message), text: 'later' }, WITHIN)
  expect((await edit(said)).text).toBe('later')
  await expect(edit(plain)).rejects.toSatisfy(rejectsWith('edit-too-late'))
})
