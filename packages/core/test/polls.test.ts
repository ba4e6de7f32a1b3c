// Polls: what everyone sees of the votes, and when they end.
import type { Message, Poll } from '@postern/bot-api/objects'
import { type ChatId, isCoded } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame } from '@postern/protocol/relay'
import { passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const TEA = { question: 'Tea?', options: ['yes', 'no', 'later'], multiple: false }
const votesOf = (poll: Poll | undefined) => poll?.options.map(option => option.voters.map(voter => voter.name))
const pollSeenBy = (person: TestPerson, chat: ChatId, message: Message) =>
  person.client.messages.get(chat, message.id).poll
const rejectsWith = (code: Parameters<typeof isCoded>[1]) => (error: unknown) => isCoded(error, code)

const test = base
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('group', ({ world, alice, bob }) => async (): Promise<{ chat: ChatId; carol: TestPerson }> => {
    const carol = await world.person('carol')
    await alice.say(bob, 'hi')
    return { chat: await alice.createGroup('tea', [bob, carol]), carol }
  })

test('[CORE-6.1] everybody sees who chose what; a vote is changed and taken back', async ({ alice, bob, group }) => {
  const { chat, carol } = await group()
  const asked = await alice.client.messages.sendPoll(chat, TEA, WITHIN)
  expect(asked.poll).toMatchObject({ question: 'Tea?', multiple: false, closed: false, voted: [] })
  await bob.next('message', event => event.message.id === asked.id)
  await carol.next('message', event => event.message.id === asked.id)
  const vote = (person: TestPerson, options: number[]) =>
    person.client.messages.vote(chat, { message: asked.id, options }, WITHIN)

  await vote(bob, [0])
  expect(votesOf((await alice.next('poll')).message.poll)).toEqual([['bob'], [], []])
  await vote(carol, [0])
  expect(votesOf((await alice.next('poll')).message.poll)).toEqual([['bob', 'carol'], [], []])
  await vote(bob, [1])
  expect(votesOf((await alice.next('poll')).message.poll)).toEqual([['carol'], ['bob'], []])
  await vote(bob, [])
  expect(votesOf((await alice.next('poll')).message.poll)).toEqual([['carol'], [], []])
  await carol.next(
    'poll',
    event => votesOf(event.message.poll)?.[1]?.length === 0 && event.message.poll?.voted[0] === 0,
  )
  expect(pollSeenBy(carol, chat, asked)).toMatchObject({
    voted: [0],
    options: [{ votes: 1 }, { votes: 0 }, { votes: 0 }],
  })

  // Repeated, it changes nothing: the next event is carol's other vote.
  await vote(carol, [0])
  await vote(carol, [2])
  expect(votesOf((await alice.next('poll')).message.poll)).toEqual([[], [], ['carol']])
})

test('[CORE-6.1] several options where they are allowed, in a private chat', async ({ alice, bob }) => {
  const asked = await bob.client.messages.sendPoll(alice.chatId, { ...TEA, multiple: true }, WITHIN)
  await alice.next('message', event => event.message.id === asked.id)
  await alice.client.messages.vote(bob.chatId, { message: asked.id, options: [2, 0] }, WITHIN)
  expect((await bob.next('poll')).message.poll?.options.map(option => option.votes)).toEqual([1, 0, 1])
  expect(pollSeenBy(alice, bob.chatId, asked)?.voted).toEqual([0, 2])
})

test('[CORE-6.3] only its sender closes it, everybody is told, and no vote counts after that', async ({
  alice,
  bob,
  group,
}) => {
  const { chat, carol } = await group()
  const asked = await alice.client.messages.sendPoll(chat, TEA, WITHIN)
  await bob.next('message', event => event.message.id === asked.id)
  await carol.next('message', event => event.message.id === asked.id)
  await bob.client.messages.vote(chat, { message: asked.id, options: [1] }, WITHIN)
  await expect(bob.client.messages.closePoll(chat, asked.id, WITHIN)).rejects.toSatisfy(rejectsWith('not-own-poll'))

  // Carol does not know of the closing when she votes: the relay's order decides, and she gets an error.
  carol.wire.hold()
  await alice.client.messages.closePoll(chat, asked.id, WITHIN)
  const late = carol.client.messages.vote(chat, { message: asked.id, options: [0] }, WITHIN)
  setImmediate(() => carol.wire.release())
  await expect(late).rejects.toSatisfy(rejectsWith('poll-closed'))

  for (const person of [alice, bob, carol]) {
    const told = await person.next('poll', event => event.message.poll?.closed === true)
    expect(votesOf(told.message.poll)).toEqual([[], ['bob'], []])
  }
  await expect(bob.client.messages.vote(chat, { message: asked.id, options: [] }, WITHIN)).rejects.toSatisfy(
    rejectsWith('poll-closed'),
  )
  await expect(alice.client.messages.closePoll(chat, asked.id, WITHIN)).rejects.toSatisfy(rejectsWith('poll-closed'))
})

test('[CORE-6.3] a vote behind a closing that has not arrived yet is refused, however late the closing comes', async ({
  alice,
  group,
}) => {
  const { chat, carol } = await group()
  const asked = await alice.client.messages.sendPoll(chat, TEA, WITHIN)
  await carol.next('message', event => event.message.id === asked.id)
  // The relay answers before it delivers, as it does to a client that has just come back.
  const undelivered: Uint8Array[] = []
  carol.wire.incoming = frame => {
    if (decodeRelayFrame(frame).kind !== 'deliver') return [frame]
    undelivered.push(frame)
    return []
  }
  await alice.client.messages.closePoll(chat, asked.id, WITHIN)
  await expect.poll(() => undelivered).not.toEqual([])
  const asks = (frame: Uint8Array): string => {
    const sent = decodeClientFrame(frame)
    return sent.kind === 'call' ? sent.name : sent.kind
  }
  carol.wire.outgoing = frame => {
    // The vote is answered by now.
    if (asks(frame) === 'mailboxEnd') {
      carol.wire.incoming = held => [held]
      for (const held of undelivered.splice(0)) carol.wire.inject(held)
    }
    return [frame]
  }
  const late = carol.client.messages.vote(chat, { message: asked.id, options: [0] }, WITHIN)
  await expect(late).rejects.toSatisfy(rejectsWith('poll-closed'))
  expect(votesOf(pollSeenBy(carol, chat, asked))).toEqual([[], [], []])
})

test('[CORE-6.4] it closes by itself when its time has come, also across a restart', async ({ clock, world, bob }) => {
  const startMs = clock.nowMs()
  let carol = await world.person('carol', { clock })
  const closeTs = startMs + 3_600_000
  const asked = await carol.client.messages.sendPoll(bob.chatId, { ...TEA, closeTs }, WITHIN)
  const second = await carol.client.messages.sendPoll(bob.chatId, { ...TEA, closeTs: closeTs + 1000 }, WITHIN)
  expect(asked.poll).toMatchObject({ close_ts: closeTs, closed: false })
  await bob.next('message', event => event.message.id === second.id)
  await bob.client.messages.vote(carol.chatId, { message: asked.id, options: [0] }, WITHIN)
  await carol.next('poll')

  clock.leap(3_600_000)
  const told = await passTime(
    clock,
    carol.next('poll', event => event.message.poll?.closed === true),
  )
  expect(told.message).toMatchObject({ id: asked.id, poll: { options: [{ votes: 1 }, {}, {}] } })
  await expect(carol.client.messages.vote(bob.chatId, { message: asked.id, options: [1] }, WITHIN)).rejects.toSatisfy(
    rejectsWith('poll-closed'),
  )

  await world.close(carol)
  clock.leap(10_000)
  carol = await world.person('carol', { clock })
  const again = await passTime(
    clock,
    carol.next('poll', event => event.message.id === second.id),
  )
  expect(again.message.poll?.closed).toBe(true)
  await expect(carol.client.messages.sendPoll(bob.chatId, { ...TEA, closeTs }, WITHIN)).rejects.toSatisfy(
    rejectsWith('bad-field'),
  )
})

test('[CORE-6.6] what is no vote is refused, and a poll is not edited', async ({ alice, bob }) => {
  const asked = await bob.client.messages.sendPoll(alice.chatId, TEA, WITHIN)
  await alice.next('message', event => event.message.id === asked.id)
  const vote = (options: number[]) => alice.client.messages.vote(bob.chatId, { message: asked.id, options }, WITHIN)
  for (const options of [[3], [-1], [0, 1], [0.5], [0, 0]])
    await expect(vote(options)).rejects.toSatisfy(rejectsWith('bad-field'))
  const said = await bob.say(alice, 'no poll')
  await alice.hears('no poll')
  const wrong = { message: said.id, options: [0] }
  await expect(alice.client.messages.vote(bob.chatId, wrong, WITHIN)).rejects.toSatisfy(rejectsWith('not-a-poll'))
  await expect(bob.client.messages.closePoll(alice.chatId, said.id, WITHIN)).rejects.toSatisfy(
    rejectsWith('not-a-poll'),
  )
  await expect(alice.client.messages.closePoll(bob.chatId, said.id, WITHIN)).rejects.toSatisfy(
    rejectsWith('not-a-poll'),
  )
  const edit = { message: asked.id, text: 'Coffee?' }
  await expect(bob.client.messages.edit(alice.chatId, edit, WITHIN)).rejects.toSatisfy(rejectsWith('poll-not-editable'))
})
