// The bot end to end: a relay, a gateway and people talk through it.
import { bot, chat, message, update } from '@postern/bot-api'
import { gatewayLimits } from '@postern/protocol'
import { passTime, passWhenAwaited, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { Api, onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'

test('[GATEWAY-3.1] a first start registers the bot under its name; the next goes on with the same account', async ({
  world,
}) => {
  const first = await onlineGateway(world)
  const me = bot.parse(await first.api.me())
  expect(me).toMatchObject({ id: first.gateway.client.account, name: 'bot', about: '', commands: [] })
  await world.closeGateway(first.gateway)
  const second = await onlineGateway(world, { RELAY_URL: '', BOT_NAME: '' })
  expect(await second.api.me()).toEqual(me)
})

test('[GATEWAY-3.1] a later start under another name renames the bot, and people see it', async ({ world, alice }) => {
  const first = await onlineGateway(world)
  await alice.openInvite((await first.api.me()).invite_url)
  await world.closeGateway(first.gateway)
  const second = await onlineGateway(world, { BOT_NAME: 'butler' })
  expect((await second.api.me()).name).toBe('butler')
  await second.api.send(alice.id, { text: 'it is me' })
  await alice.hears('it is me')
  await expect.poll(() => alice.client.identity.profileOf(second.gateway.client.account).name, SOON).toBe('butler')
})

test.for(['RELAY_URL', 'BOT_NAME'])(
  '[GATEWAY-3.4] a first start without %s makes no account',
  async (setting, { world }) => {
    await expect(world.gateway({ [setting]: '' })).rejects.toThrow(new RegExp(`^${setting}: `))
    const { api } = await onlineGateway(world)
    expect((await api.me()).name).toBe('bot')
  },
)

test('[GATEWAY-3.5] while the bot is not registered it is unavailable, and the rest answers', async ({ world }) => {
  await world.stopRelay()
  const gateway = await world.gateway()
  const api = new Api(gateway)
  const answer = await api.get('/v1/me')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await api.get('/healthz')).status).toBe(200)
  expect(await (await api.get('/v1/chats')).json()).toEqual([])
  expect(await api.updates()).toEqual([])
  await world.startRelay()
  await gateway.client.whenOnline(WITHIN)
  expect((await api.get('/v1/me')).status).toBe(200)
})

test('[GATEWAY-3.6] a person writes, the bot reads it as an update, answers, and the person has the answer', async ({
  alice,
  online: { gateway, api },
}) => {
  const { id: botChat } = await alice.openInvite((await api.me()).invite_url)
  const [opened] = await api.updates('timeout=60')
  expect(update.parse(opened)).toMatchObject({ type: 'chat', chat_id: alice.id, chat: { name: 'alice' } })

  const sent = await alice.say(botChat, 'hello')
  const { message: received } = await api.nextMessage()
  expect(message.parse(received)).toEqual({
    id: sent.id,
    chat_id: alice.id,
    from: { id: alice.id, name: 'alice' },
    ts: sent.ts,
    text: 'hello',
  })

  const answer = await api.send(alice.id, { text: 'hi 👋', reply_to: received.id })
  expect(answer.status).toBe(200)
  const answered = message.parse(answer.body)
  const from = { id: gateway.client.account, name: 'bot' }
  expect(answered).toMatchObject({ text: 'hi 👋', reply_to: received.id, status: 'sent', from })
  expect(await alice.hears('hi 👋')).toMatchObject({ id: answered.id, ts: answered.ts, reply_to: received.id, from })
})

test('[GATEWAY-3.6] a reply to a message that is not in the chat is 400', async ({ bob, online: { api } }) => {
  const stranger = await api.send(bob.id, { text: 'x', reply_to: 'a'.repeat(32) })
  expect([stranger.status, stranger.body]).toEqual([
    400,
    { code: 'bad_request', error: 'reply_to: must be the id of a message in this chat.' },
  ])
  expect(bob.client.chats.list()).toEqual([])
})

test('[GATEWAY-3.6] while the relay is out of reach a send is 503, and nothing is sent later', async ({
  clock,
  world,
}) => {
  const { gateway, api } = await onlineGateway(world, {}, { clock })
  const alice = await world.person('alice')
  const { id: botChat } = await alice.openInvite((await api.me()).invite_url)
  await api.updates('timeout=60')
  gateway.wire.cut()
  const answer = await passTime(clock, api.send(alice.id, { text: 'lost' }))
  expect([answer.status, answer.body]).toEqual([503, { code: 'unavailable', error: expect.stringMatching(/relay/) }])
  gateway.wire.mend()
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
  expect((await api.send(alice.id, { text: 'sent' })).status).toBe(200)
  await alice.hears('sent')
  expect(alice.texts(botChat)).toEqual(['sent'])
})

test('[GATEWAY-3.6] while the relay is out of reach everything that sends is 503, and everything local goes on', async ({
  clock,
  world,
}) => {
  const { gateway, api } = await onlineGateway(world, {}, { clock })
  const alice = await world.person('alice')
  const { id: botChat } = await alice.openInvite((await api.me()).invite_url)
  await alice.say(botChat, 'hello')
  const { message: heard } = await api.nextMessage()
  const own = (await api.send(alice.id, { text: 'own' })).body as { id: string }
  gateway.wire.cut()
  const chat = `/v1/chats/${alice.id}`
  const sending: [string, string, object?][] = [
    ['POST', `${chat}/messages`, { text: 'x' }],
    ['PATCH', `${chat}/messages/${own.id}`, { text: 'x' }],
    ['DELETE', `${chat}/messages/${own.id}`],
    ['PUT', `${chat}/messages/${heard.id}/reaction`, { emoji: '👍' }],
    ['DELETE', `${chat}/messages/${heard.id}/reaction`],
    ['POST', '/v1/groups', { name: 'x', members: [alice.id] }],
    ['POST', `/v1/chats/${(await world.person('bob')).id}/messages`, { text: 'x' }],
  ]
  for (const [method, path, json] of sending) {
    const asking = api.call(method, path, json ? { json } : {})
    const { status, body } = await passWhenAwaited(clock, gatewayLimits.sendWithinMs, asking)
    expect([method, path, status, body['code']]).toEqual([method, path, 503, 'unavailable'])
  }
  for (const path of ['/v1/me', '/v1/chats', chat, `${chat}/messages`, `${chat}/messages/${own.id}`, '/v1/updates'])
    expect((await api.get(path)).status).toBe(200)
  expect(await api.ok('POST', `${chat}/read`)).toEqual({})
  expect(await api.ok('PATCH', '/v1/me', { about: 'away' })).toMatchObject({ about: 'away' })
  expect(await api.ok('PUT', '/v1/me/commands', { commands: [] })).toEqual({})
  expect(await api.ok('DELETE', `${chat}/messages/${heard.id}?for=me`)).toEqual({})
  gateway.wire.mend()
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
  expect((await api.send(alice.id, { text: 'back' })).status).toBe(200)
  await alice.hears('back')
  expect(alice.texts(botChat)).toEqual(['hello', 'own', 'back'])
})

test('[GATEWAY-3.7] chats are listed and shown', async ({ alice, online: { api } }) => {
  await alice.openInvite((await api.me()).invite_url)
  await api.updates('timeout=60')
  const [only, ...rest] = chat.array().parse(await (await api.get('/v1/chats')).json())
  expect(only).toMatchObject({ id: alice.id, type: 'private', name: 'alice', state: 'active', timer_ms: 0 })
  expect(rest).toEqual([])
  expect(await (await api.get(`/v1/chats/${alice.id}`)).json()).toEqual(only)
})

test('[GATEWAY-3.8] a chat that does not exist is 404, and so is an account that is registered nowhere', async ({
  online: { api },
}) => {
  for (const nobody of ['nobody', 'a'.repeat(32), 'b'.repeat(26), '%20']) {
    expect((await api.get(`/v1/chats/${nobody}`)).status).toBe(404)
    expect((await api.send(nobody, { text: 'x' })).status).toBe(404)
  }
})

test('[GATEWAY-3.8] the bot writes first to a person whom it never met', async ({ bob, online: { api } }) => {
  expect((await api.send(bob.id, { text: 'good morning' })).status).toBe(200)
  expect(await bob.hears('good morning')).toMatchObject({ from: { name: 'bot' } })
})
