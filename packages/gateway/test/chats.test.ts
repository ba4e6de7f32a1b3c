// Chats and groups end to end: who gets in, who waits, and what happens around the bot.
import { type Chat, chat, type Message } from '@postern/bot-api'
import { type GroupId, groupChatId, type MessageId, privateChatId } from '@postern/protocol'
import { ManualClock, type Person, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onlineGateway, SOON } from './api.ts'

let world: World
beforeEach(async () => {
  world = await World.start()
})
afterEach(() => world.stop())

const groupId = ({ id }: Chat) => groupChatId(id as GroupId)

describe('ACCEPT_REQUESTS=contacts', () => {
  test('[GATEWAY-4.1] who came by the link gets in at once', async () => {
    const { gateway, api } = await onlineGateway(world, { ACCEPT_REQUESTS: 'contacts' })
    const alice = await world.person('alice')
    await alice.openInvite((await api.me()).invite_url)
    expect((await api.next('chat')).chat).toMatchObject({ id: alice.id, state: 'active' })
    await alice.say(privateChatId(gateway.client.account), 'hello')
    expect((await api.next('message')).message.text).toBe('hello')
  })

  test('[GATEWAY-4.1] others wait; their messages are kept, and are reported in order when they are let in', async () => {
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

test('[GATEWAY-4.3] accepting a person lets in the groups to which that person has invited the bot, and no other', async () => {
  const { gateway, api } = await onlineGateway(world, { ACCEPT_REQUESTS: 'contacts' })
  const [bob, mallory] = [await world.person('bob'), await world.person('mallory')]
  const bot = gateway.client.account
  const opened = async (maker: Person, name: string, members: Person[] = []) => {
    const group = await maker.client.createGroup({ name, members: [bot, ...members.map(({ id }) => id)] }, WITHIN)
    await maker.say(groupId(group), `in ${name}`)
    expect((await api.next('chat', ({ chat }) => chat.id === group.id)).chat.state).toBe('request')
    return group
  }
  const [team, trap] = [await opened(bob, 'team'), await opened(mallory, 'trap', [bob])]
  const { id } = await bob.say(privateChatId(bot), 'one')
  await bob.client.editMessage(privateChatId(bot), { message: id as MessageId, text: 'one, better' }, WITHIN)
  await bob.client.react(privateChatId(bot), { message: id as MessageId, emoji: '🦊' }, WITHIN)
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

test('[GATEWAY-4.4] POST /v1/groups makes a group; the bot is its admin, and everybody can talk', async () => {
  const { gateway, api } = await onlineGateway(world)
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const members = [alice.id, bob.id, bob.id, gateway.client.account]
  const group = chat.parse(await api.ok('POST', '/v1/groups', { name: 'Team 🚀', members }))
  expect(group).toMatchObject({ type: 'group', name: 'Team 🚀', state: 'active', timer_ms: 0 })
  const me = { id: gateway.client.account, name: 'bot', bot: true, admin: true }
  expect(group.members).toHaveLength(3)
  expect(group.members).toContainEqual(me)
  // Their names come with their first words in it.
  const nameless = (one: Chat) => ({ ...one, members: one.members.map(member => ({ ...member, name: '' })) })
  expect(nameless(await api.ok<Chat>('GET', `/v1/chats/${group.id}`))).toEqual(nameless(group))
  for (const person of [alice, bob]) await person.next('chat', event => event.chat_id === group.id)
  await api.send(group.id, { text: 'hello all' })
  for (const person of [alice, bob]) await person.hears('hello all')
  await bob.say(groupId(group), 'hello bot')
  expect((await api.next('message')).message).toMatchObject({
    chat_id: group.id,
    from: { id: bob.id },
    text: 'hello bot',
  })
})

test('[GATEWAY-4.4] somebody who is registered nowhere is 404, and no group is made', async () => {
  const { api } = await onlineGateway(world)
  const { status, body } = await api.call('POST', '/v1/groups', { json: { name: 'x', members: ['a'.repeat(32)] } })
  expect([status, body]).toEqual([404, { code: 'not_found', error: expect.stringMatching(/a{32}/) }])
  expect(await api.ok('GET', '/v1/chats')).toEqual([])
})

test("[GATEWAY-4.4] people in a group count towards the relay's limit; past it the answer says when it ends", async () => {
  await world.stop()
  // One for all: the relay judges by it whether the others' certificates still hold.
  const clock = new ManualClock(Date.UTC(2030, 0, 1, 12))
  world = await World.start({ relayLimits: { newPeoplePerDay: 2 }, relayClock: clock })
  const { api } = await onlineGateway(world, {}, { clock })
  const people: Person[] = []
  for (const name of ['alice', 'bob', 'carol']) people.push(await world.person(name, { clock }))
  const [alice, bob, carol] = people as [Person, Person, Person]
  await api.ok('POST', '/v1/groups', { name: 'two', members: [alice.id, bob.id] })
  const refused = {
    status: 400,
    body: { code: 'bad_request', error: expect.stringMatching(/ends at 2030-01-02T00:00:00/) },
  }
  expect(await api.send(carol.id, { text: 'x' })).toEqual(refused)
  expect(await api.call('POST', '/v1/groups', { json: { name: 'x', members: [carol.id] } })).toEqual(refused)
  expect((await api.send(alice.id, { text: 'known' })).status).toBe(200)
})

test('[GATEWAY-4.5] what happens in a group comes as updates, until the bot is removed', async () => {
  const { gateway, api } = await onlineGateway(world)
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const bot = gateway.client.account
  const { client } = alice
  const made = await client.createGroup({ name: 'Team', members: [bot] }, WITHIN)
  const id = groupId(made)
  expect((await api.next('chat')).chat).toMatchObject({ id, name: 'Team', type: 'group', state: 'active' })

  await client.addMembers(id, [bob.id], WITHIN)
  expect((await api.next('chat')).chat.members.map(member => member.id)).toContain(bob.id)
  expect((await api.next('notice')).notice).toMatchObject({ code: 'joined' })
  await client.renameGroup(id, 'Crew', WITHIN)
  expect((await api.next('chat')).chat.name).toBe('Crew')
  expect((await api.next('notice')).notice).toMatchObject({ code: 'renamed', from: { id: alice.id } })
  await client.setTimer(id, 60_000, WITHIN)
  expect((await api.next('chat')).chat.timer_ms).toBe(60_000)
  expect((await api.next('notice')).notice).toMatchObject({ code: 'timer', from: { id: alice.id } })
  await bob.next('chat', event => event.chat_id === id)
  await bob.client.leaveGroup(id, WITHIN)
  expect((await api.next('notice', update => update.notice.code === 'left')).notice.from?.id).toBe(bob.id)
  await client.removeMembers(id, [bot], WITHIN)
  expect((await api.next('chat', update => update.chat.state === 'left')).chat.id).toBe(id)
  expect(await api.send(id, { text: 'still here?' })).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  expect(await api.ok('GET', `/v1/chats/${id}`)).toMatchObject({ state: 'left' })
})

test('[GATEWAY-4.5] in a group a command carries the mention of the bot', async () => {
  const { gateway, api } = await onlineGateway(world)
  const alice = await world.person('alice')
  const bot = gateway.client.account
  const group = await alice.client.createGroup({ name: 'Team', members: [bot] }, WITHIN)
  const mentions = [{ user: bot, offset: 0, length: 6 }]
  await alice.client.sendText(groupId(group), { text: '/start', mentions }, WITHIN)
  expect((await api.next('message')).message).toMatchObject({ text: '/start', mentions })
})
