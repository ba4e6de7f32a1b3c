// Chats and groups end to end: who gets in, who waits, and what happens around the bot.
import { bot, type Chat, chat, type Message } from '@postern/bot-api'
import { type ChatId, gatewayLimits, privateChatId } from '@postern/protocol'
import { ManualClock, passWhenAwaited, type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'

describe('ACCEPT_REQUESTS=contacts', () => {
  test('[GATEWAY-4.1] who came by the link gets in at once', async ({ world }) => {
    const { gateway, api } = await onlineGateway(world, { ACCEPT_REQUESTS: 'contacts' })
    const alice = await world.person('alice')
    await alice.openInvite((await api.me()).invite_url)
    expect((await api.next('chat')).chat).toMatchObject({ id: alice.id, state: 'active' })
    await alice.say(privateChatId(gateway.client.account), 'hello')
    expect((await api.next('message')).message.text).toBe('hello')
  })

  test('[GATEWAY-4.1] others wait; their messages are kept, and are reported in order when they are let in', async ({
    world,
  }) => {
    const { gateway, api } = await onlineGateway(world, { ACCEPT_REQUESTS: 'contacts' })
    const bob = await world.person('bob')
    const toBot = privateChatId(gateway.client.account)
    for (const text of ['one', 'two', 'three']) await bob.say(toBot, text)
    expect((await api.next('chat')).chat).toMatchObject({ id: bob.id, state: 'request' })
    const path = `/v1/chats/${bob.id}`
    await expect
      .poll(async () => (await api.ok<Message[]>('GET', `${path}/messages`)).map(({ text }) => text), SOON)
      .toEqual(['one', 'two', 'three'])
    expect(await api.send(bob.id, { text: 'no' })).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    expect(await api.updates('offset=1000')).toEqual([])

    const accepted = chat.parse(await api.ok('POST', `${path}/accept`))
    expect(accepted).toMatchObject({ id: bob.id, state: 'active' })
    const reported = (await api.updates('timeout=60')).flatMap(update =>
      update.type === 'message' ? update.message.text : [],
    )
    expect(reported).toEqual(['one', 'two', 'three'])
    expect(await api.ok('POST', `${path}/accept`)).toMatchObject({ id: bob.id, state: 'active' })
    expect((await api.send(bob.id, { text: 'welcome' })).status).toBe(200)
    await bob.hears('welcome')
  })
})

test('[GATEWAY-4.3] accepting a person lets in the groups to which that person has invited the bot, and no other', async ({
  world,
}) => {
  const { gateway, api } = await onlineGateway(world, { ACCEPT_REQUESTS: 'contacts' })
  const [bob, mallory] = [await world.person('bob'), await world.person('mallory')]
  const bot = gateway.client.account
  const opened = async (maker: TestPerson, name: string, members: TestPerson[] = []) => {
    const group = await maker.client.chats.createGroup({ name, members: [bot, ...members.map(({ id }) => id)] }, WITHIN)
    await maker.say(group.id, `in ${name}`)
    expect((await api.next('chat', ({ chat }) => chat.id === group.id)).chat.state).toBe('request')
    return group
  }
  const [team, trap] = [await opened(bob, 'team'), await opened(mallory, 'trap', [bob])]
  const { id } = await bob.say(privateChatId(bot), 'one')
  await bob.client.messages.edit(privateChatId(bot), { message: id, text: 'one, better' }, WITHIN)
  await bob.client.messages.react(privateChatId(bot), { message: id, emoji: '🦊' }, WITHIN)
  await bob.say(privateChatId(bot), 'two')
  await expect
    .poll(async () => (await api.call<Message[]>('GET', `/v1/chats/${bob.id}/messages`)).body.length, SOON)
    .toBe(2)
  await api.ok('POST', `/v1/chats/${bob.id}/accept`)
  expect((await api.next('message')).message.text).toBe('one, better')
  expect((await api.next('edited')).message.id).toBe(id)
  expect((await api.next('reaction')).reaction.emoji).toBe('🦊')
  expect((await api.next('message')).message.text).toBe('two')
  expect((await api.next('chat')).chat).toMatchObject({ id: team.id, state: 'active' })
  expect((await api.next('message')).message.text).toBe('in team')
  expect(await api.ok('GET', `/v1/chats/${trap.id}`)).toMatchObject({ state: 'request' })
})

test('[GATEWAY-4.4] POST /v1/groups makes a group; the bot is its admin, and everybody can talk', async ({
  alice,
  bob,
  online: { gateway, api },
}) => {
  const members = [alice.id, bob.id, bob.id, gateway.client.account]
  const group = chat.parse(await api.ok('POST', '/v1/groups', { name: 'Team 🚀', members }))
  expect(group).toMatchObject({ type: 'group', name: 'Team 🚀', state: 'active', timer_ms: 0 })
  const me = { id: gateway.client.account, name: 'bot', bot: true, admin: true }
  expect(group.members).toHaveLength(3)
  expect(group.members).toContainEqual(me)
  // Their names arrive with their first messages in it.
  const nameless = (one: Chat) => ({ ...one, members: one.members.map(member => ({ ...member, name: '' })) })
  expect(nameless(await api.ok<Chat>('GET', `/v1/chats/${group.id}`))).toEqual(nameless(group))
  for (const person of [alice, bob]) await person.next('chat', event => event.chat_id === group.id)
  await api.send(group.id, { text: 'hello all' })
  for (const person of [alice, bob]) await person.hears('hello all')
  await bob.say(group.id, 'hello bot')
  expect((await api.next('message')).message).toMatchObject({
    chat_id: group.id,
    from: { id: bob.id },
    text: 'hello bot',
  })
})

test('[GATEWAY-4.4] somebody who is registered nowhere is 404, and no group is made', async ({ online: { api } }) => {
  const { status, body } = await api.call('POST', '/v1/groups', { json: { name: 'x', members: ['a'.repeat(32)] } })
  expect([status, body]).toEqual([404, { code: 'not_found', error: expect.stringMatching(/a{32}/) }])
  expect(await api.ok('GET', '/v1/chats')).toEqual([])
})

const whereTwoAreTheLimit = test
  // One for all: the relay checks with it whether the others' certificates are still valid.
  .extend('clock', () => new ManualClock(Date.UTC(2030, 0, 1, 12)))
  .extend('worldOptions', ({ clock }) => ({ relayLimits: { newPeoplePerDay: 2 }, relayClock: clock }))

whereTwoAreTheLimit(
  "[GATEWAY-4.4] people in a group count towards the relay's limit; past it the answer says when it ends",
  async ({ clock, world }) => {
    const { api } = await onlineGateway(world, {}, { clock })
    const people: TestPerson[] = []
    for (const name of ['alice', 'bob', 'carol']) people.push(await world.person(name, { clock }))
    const [alice, bob, carol] = people as [TestPerson, TestPerson, TestPerson]
    await api.ok('POST', '/v1/groups', { name: 'two', members: [alice.id, bob.id] })
    const refused = {
      status: 400,
      body: { code: 'bad_request', error: expect.stringMatching(/after 2030-01-02T00:00:00/) },
    }
    expect(await api.send(carol.id, { text: 'x' })).toEqual(refused)
    expect(await api.call('POST', '/v1/groups', { json: { name: 'x', members: [carol.id] } })).toEqual(refused)
    expect((await api.send(alice.id, { text: 'known' })).status).toBe(200)
  },
)

whereTwoAreTheLimit(
  '[GATEWAY-3.19] GET /v1/me says how many new people are left today, and does not wait for a relay that is away',
  async ({ clock, world }) => {
    const { gateway, api } = await onlineGateway(world, {}, { clock })
    const left = async () => bot.parse(await api.me()).new_people_left
    const alice = await world.person('alice', { clock })
    const bob = await world.person('bob', { clock })
    expect(await left()).toBe(2)
    await api.send(alice.id, { text: 'hello' })
    expect(await left()).toBe(1)
    expect((await api.send('a'.repeat(32), { text: 'hello' })).status).toBe(404)
    await alice.openInvite((await api.me()).invite_url)
    expect(await left()).toBe(1)
    await api.send(bob.id, { text: 'hello' })
    expect(await left()).toBe(0)
    // A silent relay.
    gateway.wire.incoming = () => []
    const silent = await passWhenAwaited(clock, gatewayLimits.newPeopleLeftWithinMs, api.me())
    expect(bot.parse(silent)).toMatchObject({ id: gateway.client.account })
    expect(silent.new_people_left).toBeUndefined()
    await world.stopRelay()
    await expect.poll(() => gateway.client.isOnline, SOON).toBe(false)
    expect(await left()).toBeUndefined()
    await world.startRelay()
  },
)

test('[GATEWAY-4.5] what happens in a group comes as updates, until the bot is removed', async ({
  alice,
  bob,
  online: { gateway, api },
}) => {
  const bot = gateway.client.account
  const { client } = alice
  const made = await client.chats.createGroup({ name: 'Team', members: [bot] }, WITHIN)
  const id = made.id
  expect((await api.next('chat')).chat).toMatchObject({ id, name: 'Team', type: 'group', state: 'active' })

  await client.chats.addMembers(id, [bob.id], WITHIN)
  expect((await api.next('chat')).chat.members.map(member => member.id)).toContain(bob.id)
  expect((await api.next('notice')).notice).toMatchObject({ code: 'joined' })
  await client.chats.renameGroup(id, 'Crew', WITHIN)
  expect((await api.next('chat')).chat.name).toBe('Crew')
  expect((await api.next('notice')).notice).toMatchObject({ code: 'renamed', from: { id: alice.id } })
  await client.chats.setTimer(id, 60_000, WITHIN)
  expect((await api.next('chat')).chat.timer_ms).toBe(60_000)
  expect((await api.next('notice')).notice).toMatchObject({ code: 'timer', from: { id: alice.id } })
  await bob.next('chat', event => event.chat_id === id)
  await bob.client.chats.leaveGroup(id, WITHIN)
  expect((await api.next('notice', update => update.notice.code === 'left')).notice).toMatchObject({
    from: { id: bob.id },
  })
  await client.chats.removeMembers(id, [bot], WITHIN)
  expect((await api.next('chat', update => update.chat.state === 'left')).chat.id).toBe(id)
  expect(await api.send(id, { text: 'still here?' })).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  expect(await api.ok('GET', `/v1/chats/${id}`)).toMatchObject({ state: 'left' })
})

test('[GATEWAY-4.5] in a group a command carries the mention of the bot', async ({
  alice,
  online: { gateway, api },
}) => {
  const bot = gateway.client.account
  const group = await alice.client.chats.createGroup({ name: 'Team', members: [bot] }, WITHIN)
  const mentions = [{ user: bot, offset: 0, length: 6 }]
  await alice.client.messages.sendText(group.id, { text: '/start', mentions }, WITHIN)
  expect((await api.next('message')).message).toMatchObject({ text: '/start', mentions })
})

test('[GATEWAY-4.16] chats are listed whole or page by page, none twice, and those that come meanwhile at the end', async ({
  alice,
  talking: { gateway, api },
}) => {
  const makeGroup = async (name: string) =>
    chat.parse(await api.ok('POST', '/v1/groups', { name, members: [alice.id] }))
  for (const name of ['one', 'two', 'three']) await makeGroup(name)
  const list = async (query = '') => chat.array().parse(await api.ok('GET', `/v1/chats${query}`))
  const ids = (chats: { id: string }[]) => chats.map(({ id }) => id)
  const whole = await list()
  expect(whole).toEqual(gateway.client.chats.list())
  expect(whole).toHaveLength(4)
  const first = await list('?limit=3')
  expect(first).toEqual(whole.slice(0, 3))
  const late = await makeGroup('late')
  const second = await list(`?limit=3&after=${first.at(-1)?.id}`)
  expect(ids(second)).toEqual([...ids(whole.slice(3)), late.id])
  expect(await list(`?after=${late.id}&limit=3`)).toEqual([])
  expect(ids(await list(`?after=${whole[0]?.id}`))).toEqual([...ids(whole.slice(1)), late.id])
  expect(await api.call('GET', `/v1/chats?after=${'b'.repeat(32)}`)).toMatchObject({ status: 404 })
})

test('[GATEWAY-4.16] a chat that is hidden between two pages is still the place behind which the next one begins', async ({
  world,
}) => {
  const { gateway, api } = await onlineGateway(world, { ACCEPT_REQUESTS: 'contacts' })
  const people: TestPerson[] = []
  for (const name of ['one', 'two', 'three', 'four']) {
    const person = await world.person(name)
    await person.say(privateChatId(gateway.client.account), 'let me in')
    await api.next('chat', event => event.chat_id === person.chatId)
    people.push(person)
  }
  const list = async (query = '') => (await api.ok<Chat[]>('GET', `/v1/chats${query}`)).map(({ id }) => id)
  const [one, two, three, four] = people.map(person => person.chatId) as [ChatId, ChatId, ChatId, ChatId]
  expect(await list()).toEqual([one, two, three, four])
  expect(await list('?limit=2')).toEqual([one, two])
  await gateway.client.chats.decline(two)
  expect(await list(`?limit=2&after=${two}`)).toEqual([three, four])
  await gateway.client.chats.decline(three)
  expect(await list(`?limit=2&after=${two}`)).toEqual([four])
  expect(await list('?limit=2')).toEqual([one, four])
  expect(await list()).toEqual([one, four])
})
