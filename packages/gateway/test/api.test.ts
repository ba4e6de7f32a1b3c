// The API end to end: a relay, a gateway and people talk through it.
import { bot, chat, message, update } from '@postern/protocol/bot-api'
import { expect, test } from 'vitest'
import { chatWith, nextMessage, openByLink, TOKEN, World } from './world.ts'

test('[R13] a first start registers the bot under its name; the next goes on with the same account', async () => {
  await using world = await World.open()
  const first = await world.onlineGateway()
  const me = bot.parse(await first.api.me())
  expect(me).toMatchObject({ name: 'Bot', about: '', commands: [] })
  await first.stop()
  const second = await world.onlineGateway({ RELAY_URL: '', BOT_NAME: '' })
  expect(await second.api.me()).toEqual(me)
})

test('[R13] a later start under another name renames the bot, and people see it', async () => {
  await using world = await World.open()
  const alice = await world.person('alice')
  const first = await world.onlineGateway()
  await openByLink(alice, first.api)
  await first.stop()
  const second = await world.onlineGateway({ BOT_NAME: 'Butler' })
  expect((await second.api.me()).name).toBe('Butler')
  await second.api.post(`/v1/chats/${alice.account}/messages`, { text: 'it is me' })
  expect((await nextMessage(alice, 0)).from.name).toBe('Butler')
})

test.each(['RELAY_URL', 'BOT_NAME'])('[R14] a first start without %s makes no account', async setting => {
  await using world = await World.open()
  await expect(world.gateway({ [setting]: '' })).rejects.toThrow(new RegExp(`^${setting}: `))
  const { api } = await world.onlineGateway()
  expect((await api.me()).name).toBe('Bot')
})

test('[R15] while the bot is not registered it is unavailable', async () => {
  await using world = await World.open()
  const { port } = world.relay
  await world.relay.stop()
  const gateway = await world.gateway()
  const answer = await gateway.api.get('/v1/me')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await gateway.api.get('/healthz')).status).toBe(200)
  expect((await gateway.api.get('/v1/chats')).body).toEqual([])
  await world.startRelay(port)
  await gateway.client.whenOnline({ deadlineMs: 20_000 })
  expect((await gateway.api.get('/v1/me')).status).toBe(200)
})

test('[R16] a person writes, the bot reads it as an update, answers, and the person has the answer', async () => {
  await using world = await World.open()
  const { api } = await world.onlineGateway()
  const alice = await world.person('alice')
  await openByLink(alice, api)
  const [opened] = await api.updates('timeout=20')
  expect(update.parse(opened)).toMatchObject({ type: 'chat', chat_id: alice.account, chat: { name: 'alice' } })

  const sent = await alice.sendText(chatWith(await botOf(api)), { text: 'hello' }, { deadlineMs: 5000 })
  const { message: received } = await api.nextMessage()
  expect(message.parse(received)).toEqual({
    id: sent.id,
    chat_id: alice.account,
    from: { id: alice.account, name: 'alice' },
    ts: sent.ts,
    text: 'hello',
  })

  const answer = await api.post(`/v1/chats/${alice.account}/messages`, { text: 'hi 👋', reply_to: received.id })
  expect(answer.status).toBe(200)
  const answered = message.parse(answer.body)
  expect(answered).toMatchObject({ text: 'hi 👋', reply_to: received.id, status: 'sent', from: { name: 'Bot' } })
  expect(await nextMessage(alice, 0)).toMatchObject({ id: answered.id, text: 'hi 👋', reply_to: received.id })
})

test('[R17] chats are listed and shown', async () => {
  await using world = await World.open()
  const { api } = await world.onlineGateway()
  const alice = await world.person('alice')
  await openByLink(alice, api)
  await api.updates('timeout=20')
  const { body } = await api.get('/v1/chats')
  const [only, ...rest] = chat.array().parse(body)
  expect(only).toMatchObject({ id: alice.account, type: 'private', name: 'alice', state: 'active', timer_ms: 0 })
  expect(rest).toEqual([])
  expect((await api.get(`/v1/chats/${alice.account}`)).body).toEqual(only)
})

test('[R18] a chat that does not exist is 404, and so is an account that is registered nowhere', async () => {
  await using world = await World.open()
  const { api } = await world.onlineGateway()
  for (const nobody of ['nobody', 'a'.repeat(32), 'b'.repeat(26), '%20']) {
    expect((await api.get(`/v1/chats/${nobody}`)).status).toBe(404)
    expect((await api.post(`/v1/chats/${nobody}/messages`, { text: 'x' })).status).toBe(404)
  }
})

test('[R18] the bot writes first to a person whom it never met', async () => {
  await using world = await World.open()
  const { api } = await world.onlineGateway()
  const bob = await world.person('bob')
  expect((await api.post(`/v1/chats/${bob.account}/messages`, { text: 'good morning' })).status).toBe(200)
  expect(await nextMessage(bob, 0)).toMatchObject({ text: 'good morning', from: { name: 'Bot' } })
})

test('[R19] the token is not in a log, whatever happens', async () => {
  await using world = await World.open()
  const lines: string[] = []
  const write = (fields: object, text: string) => void lines.push(`${text} ${JSON.stringify(fields)}`)
  const { api } = await world.onlineGateway({}, { log: { debug: write, info: write, warn: write, error: write } })
  await api.get('/v1/me')
  await api.post('/v1/chats/x/messages', { text: 'secret text' })
  expect(lines.join('\n')).not.toMatch(new RegExp(`${TOKEN}|secret text`))
  expect(lines.join('\n')).toContain('GET /v1/me')
})

async function botOf(api: { me(): Promise<{ id: string }> }) {
  return { account: (await api.me()).id } as Parameters<typeof chatWith>[0]
}
