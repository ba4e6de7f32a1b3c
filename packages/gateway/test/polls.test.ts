// Polls end to end: asked by the bot and by people, voted in by all, closed by hand and by time.
import { type Message, message } from '@postern/bot-api'
import { passTime, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { Api, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { badRequest, grouped, notFound, sees, talking } from './talking.ts'

const tea = { question: 'Tea?', options: ['yes', 'no', 'later'] }

async function asked(api: Api, path: string, poll: object = tea): Promise<Message> {
  return message.parse(await api.ok('POST', `${path}/polls`, poll))
}

const votesOf = ({ poll }: Message) => poll?.options.map(({ votes }) => votes)
const votersOf = ({ poll }: Message) => poll?.options.map(({ voters }) => voters.map(({ name }) => name))

const test = base.extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

describe('asking', () => {
  test('[GATEWAY-8.1] the answer is a message with the poll, and people see the same', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const sent = await asked(api, path, { ...tea, multiple: true, close_ts: 0, reply_to: '' })
    expect(sent.poll).toEqual({
      question: 'Tea?',
      multiple: true,
      closed: false,
      options: tea.options.map(text => ({ text, votes: 0, voters: [] })),
      voted: [],
    })
    expect(sent).not.toHaveProperty('text')
    expect((await sees(alice, sent)).poll).toEqual(sent.poll)
    expect(await api.ok('GET', `${path}/messages/${sent.id}`)).toMatchObject({ poll: sent.poll })
    const { id } = await alice.say(toBot, 'ask me')
    await api.next('message')
    const replied = await asked(api, path, { ...tea, reply_to: id })
    expect(replied).toMatchObject({ reply_to: id, poll: { multiple: false } })
  })

  test('[GATEWAY-8.1] the limits are exact', async ({ talking: { api, path } }) => {
    const largest = {
      question: '🫖'.repeat(300),
      options: Array.from({ length: 12 }, (_, at) => String.fromCharCode(97 + at) + '🫖'.repeat(99)),
    }
    expect((await asked(api, path, largest)).poll).toMatchObject({ question: largest.question })
    expect((await asked(api, path, { question: '?', options: ['a', 'b'] })).poll?.options).toHaveLength(2)
    const wrong = async (poll: object) => await api.call('POST', `${path}/polls`, { json: { ...tea, ...poll } })
    expect(await wrong({ question: 'x'.repeat(301) })).toEqual(badRequest(/^question: must have 1 to 300 characters/))
    expect(await wrong({ options: ['a'] })).toEqual(badRequest('options: must have 2 to 12 options.'))
    expect(await wrong({ options: Array(13).fill('a') })).toEqual(badRequest('options: must have 2 to 12 options.'))
    expect(await wrong({ options: ['a', 'x'.repeat(101)] })).toEqual(
      badRequest(/^options\[1\]: must have 1 to 100 characters/),
    )
    expect(await wrong({ close_ts: Date.now() - 1 })).toEqual(badRequest('close_ts: must be in the future.'))
  })

  test('[GATEWAY-8.1] a poll of a person comes as a message, and can be voted in', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await alice.client.messages.sendPoll(toBot, { ...tea, multiple: false }, WITHIN)
    expect((await api.next('message')).message).toMatchObject({ id, poll: { question: 'Tea?', closed: false } })
    expect(await api.ok('POST', `${path}/messages/${id}/vote`, { options: [2] })).toEqual({})
    expect(votersOf((await alice.next('poll')).message)).toEqual([[], [], ['bot']])
    const mine = await api.ok<Message>('GET', `${path}/messages/${id}`)
    expect([mine.poll?.voted, votesOf(mine)]).toEqual([[2], [0, 0, 1]])
  })

  test('[GATEWAY-8.1] a poll cannot be edited, and deleting takes it away', async ({
    alice,
    talking: { api, path },
  }) => {
    const { id } = await asked(api, path)
    expect(await api.call('PATCH', `${path}/messages/${id}`, { json: { text: 'x' } })).toEqual(badRequest(/edited/))
    expect(await api.ok('DELETE', `${path}/messages/${id}`)).toEqual({})
    expect((await alice.next('deleted')).deleted.message_id).toBe(id)
    expect(await api.call('POST', `${path}/messages/${id}/vote`, { json: { options: [] } })).toEqual(
      notFound(/message/),
    )
  })

  test('[GATEWAY-8.6] the same Idempotency-Key asks once, also after the poll has closed', async ({
    clock,
    world,
    alice,
  }) => {
    const { gateway, api, path, toBot } = await talking(world, alice, { clock })
    const ask = (poll: object) =>
      api.call<Message>('POST', `${path}/polls`, { json: poll, headers: { 'idempotency-key': 'tea' } })
    const timed = { ...tea, close_ts: clock.nowMs() + 60_000 }
    const first = await ask(timed)
    expect(first.status).toBe(200)
    clock.leap(120_000)
    await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
    const again = await ask({ ...timed, reply_to: null })
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
    expect(await ask({ ...timed, question: 'Coffee?' })).toEqual(badRequest(/a different request/))
    await sees(alice, first.body)
    expect(alice.client.messages.list(toBot, { limit: 9 }).filter(({ poll }) => poll)).toHaveLength(1)
  })
})

describe('votes', () => {
  test('[GATEWAY-8.2] of people in private: each change is a poll update with the message as it stands', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await asked(api, path)
    await sees(alice, { id })
    const vote = async (options: number[]) => {
      await alice.client.messages.vote(toBot, { message: id, options }, WITHIN)
      return (await api.next('poll')).message
    }
    const first = await vote([0])
    expect(first).toMatchObject({ id, from: { name: 'bot' }, poll: { closed: false, voted: [] } })
    expect(votersOf(first)).toEqual([['alice'], [], []])
    expect(votersOf(await vote([2]))).toEqual([[], [], ['alice']])
    expect(votesOf(await vote([]))).toEqual([0, 0, 0])
  })

  test('[GATEWAY-8.2] in a group: the tally is the same for everybody', async ({ alice, bob, talking: { api } }) => {
    const { path, chat } = await grouped(api, [alice, bob])
    const { id } = await asked(api, path, { ...tea, multiple: true })
    for (const person of [alice, bob]) await sees(person, { id })
    await Promise.all([
      alice.client.messages.vote(chat, { message: id, options: [0, 1] }, WITHIN),
      bob.client.messages.vote(chat, { message: id, options: [1] }, WITHIN),
      api.ok('POST', `${path}/messages/${id}/vote`, { options: [1, 2] }),
    ])
    const everybody = [[1, 3, 1]]
    const tallies = async () => [
      votesOf(await api.ok<Message>('GET', `${path}/messages/${id}`)),
      votesOf(alice.client.messages.get(chat, id)),
      votesOf(bob.client.messages.get(chat, id)),
    ]
    await expect.poll(tallies, SOON).toEqual([...everybody, ...everybody, ...everybody])
    expect((await api.next('poll')).message.id).toBe(id)
  })

  test('[GATEWAY-8.3] of the bot: changed and taken back; what the poll does not allow is 400', async ({
    talking: { api, path },
  }) => {
    const { id } = await asked(api, path)
    const vote = async (options: unknown) =>
      await api.call('POST', `${path}/messages/${id}/vote`, { json: { options } })
    const voted = async () => (await api.ok<Message>('GET', `${path}/messages/${id}`)).poll?.voted
    for (const options of [[1], [0], []]) {
      expect(await vote(options)).toEqual({ status: 200, body: {} })
      expect(await voted()).toEqual(options)
    }
    for (const options of [[0, 1], [3], [0, 0]]) expect(await vote(options)).toEqual(badRequest(/^options: /))
    expect(await vote([-1])).toEqual(badRequest('options[0]: must be a whole number from 0 to 11.'))
    const text = await api.ok<Message>('POST', `${path}/messages`, { text: 'no poll' })
    for (const [what, json] of [
      ['vote', { options: [0] }],
      ['close', {}],
    ] as const)
      expect(await api.call('POST', `${path}/messages/${text.id}/${what}`, { json })).toEqual(badRequest(/not a poll/))
    expect((await api.updates()).filter(update => update.type === 'poll')).toEqual([])
  })
})

describe('closing', () => {
  test('[GATEWAY-8.4] by the bot: a poll update says so, and nobody can vote any more', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id } = await asked(api, path)
    await sees(alice, { id })
    await alice.client.messages.vote(toBot, { message: id, options: [1] }, WITHIN)
    await api.next('poll')
    expect(await api.ok('POST', `${path}/messages/${id}/close`)).toEqual({})
    const closed = (await api.next('poll')).message
    expect([closed.poll?.closed, votesOf(closed)]).toEqual([true, [0, 1, 0]])
    expect((await alice.next('poll')).message.poll?.closed).toBe(true)
    await expect(alice.client.messages.vote(toBot, { message: id, options: [0] }, WITHIN)).rejects.toThrow(
      'The poll is closed.',
    )
    const vote = { json: { options: [0] } }
    expect(await api.call('POST', `${path}/messages/${id}/vote`, vote)).toEqual(badRequest('The poll is closed.'))
    expect(await api.call('POST', `${path}/messages/${id}/close`)).toEqual(badRequest('The poll is closed.'))
    expect(votesOf(await api.ok<Message>('GET', `${path}/messages/${id}`))).toEqual([0, 1, 0])
  })

  test("[GATEWAY-8.4] only the bot's own poll can be closed", async ({ alice, talking: { api, path, toBot } }) => {
    const { id } = await alice.client.messages.sendPoll(toBot, { ...tea, multiple: false }, WITHIN)
    await api.next('message')
    expect(await api.call('POST', `${path}/messages/${id}/close`)).toEqual(badRequest(/Only the sender of a poll/))
    await alice.client.messages.closePoll(toBot, id, WITHIN)
    expect((await api.next('poll')).message).toMatchObject({ id, poll: { closed: true } })
  })

  test('[GATEWAY-8.5] by time: at its moment a poll update comes, and not before', async ({ clock, world, alice }) => {
    const { api, path } = await talking(world, alice, { clock })
    const close_ts = clock.nowMs() + 3_600_000
    const { id, poll } = await asked(api, path, { ...tea, close_ts })
    expect(poll).toMatchObject({ close_ts, closed: false })
    clock.leap(3_600_000 - 1)
    expect((await api.ok<Message>('GET', `${path}/messages/${id}`)).poll?.closed).toBe(false)
    expect((await api.updates()).filter(update => update.type === 'poll')).toEqual([])
    clock.advance(1)
    expect((await passTime(clock, api.next('poll'))).message).toMatchObject({ id, poll: { close_ts, closed: true } })
    const vote = { json: { options: [0] } }
    expect(await api.call('POST', `${path}/messages/${id}/vote`, vote)).toEqual(badRequest('The poll is closed.'))
  })

  test('[GATEWAY-8.5] by time, while the gateway is down: told after its start, once, with the votes that came meanwhile', async ({
    clock,
    world,
    alice,
  }) => {
    const { gateway, api, path, toBot } = await talking(world, alice, { clock })
    const { id } = await asked(api, path, { ...tea, close_ts: clock.nowMs() + 3_600_000 })
    await sees(alice, { id })
    await world.closeGateway(gateway)
    await alice.client.messages.vote(toBot, { message: id, options: [2] }, WITHIN)
    clock.leap(7_200_000)
    await world.stopRelay()
    const away = await world.gateway({}, { clock })
    clock.advance(1)
    expect((await away.api<Message>('GET', `${path}/messages/${id}`)).body.poll?.closed).toBe(false)
    await world.startRelay()
    const next = new Api(away)
    const told = await passTime(
      clock,
      next.next('poll', ({ message: { poll } }) => poll?.closed === true),
    )
    expect([told.message.id, votersOf(told.message)]).toEqual([id, [[], [], ['alice']]])
    expect(await next.ok('GET', `${path}/messages/${id}`)).toMatchObject({ poll: { closed: true } })
    const closings = (await next.updates()).filter(({ type, id: update }) => type === 'poll' && update > told.id)
    expect(closings).toEqual([])
  })
})

test('[GATEWAY-8.6] votes and closings under one key happen once, and give the first outcome again', async ({
  talking: { api, path },
}) => {
  const { id } = await asked(api, path)
  const said = (what: string, key: string, json?: object) =>
    api.call('POST', `${path}/messages/${id}/${what}`, {
      headers: { 'idempotency-key': key },
      ...(json && { json }),
    })
  const done = { status: 200, body: {} }
  expect(await said('vote', 'v', { options: [0] })).toEqual(done)
  expect(await said('vote', 'w', { options: [1] })).toEqual(done)
  expect(await said('vote', 'v', { options: [0] })).toEqual(done)
  expect(await api.ok('GET', `${path}/messages/${id}`)).toMatchObject({ poll: { voted: [1] } })
  expect(await said('vote', 'v', { options: [2] })).toEqual(badRequest(/a different request/))
  expect(await said('close', 'c')).toEqual(done)
  expect(await said('close', 'c')).toEqual(done)
  expect(await said('vote', 'w', { options: [1] })).toEqual(done)
  expect(await said('close', 'd')).toEqual(badRequest('The poll is closed.'))
})
