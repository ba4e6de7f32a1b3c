// Tokens that are limited to chats: at every endpoint they see and change their own chats alone.
import { type Chat, type CreatedHook, type Endpoint, endpoints, type Message } from '@postern/bot-api'
import { gatewayLimits, privateChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { EventStream } from '@postern/testkit/event-stream'
import { expect } from 'vitest'
import { onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { readers, texts } from './reading.ts'
import { badRequest, grouped, notFound } from './talking.ts'
import { forbidden, tokenOf } from './token-callers.ts'

const OUTSIDE = /limited to some chats/

/** The bot talks to alice and bob; the token is limited to alice. */
const test = base.extend('limited', async ({ world, alice, bob }) => {
  const { gateway, api } = await onlineGateway(world, { HOOKS_URL: 'https://hooks.example.org' })
  const invite = (await api.me()).invite_url
  const toBot = privateChatId(gateway.client.account)
  for (const person of [alice, bob]) {
    await person.openInvite(invite)
    await api.next('chat', update => update.chat_id === privateChatId(person.id))
  }
  const { journal } = gateway.client
  const say = async (person: typeof alice, text: string): Promise<Message> => {
    await person.say(toBot, text)
    return (await api.next('message', update => update.message.text === text)).message
  }
  const token = await tokenOf({ gateway, api }, ['read', 'send', 'hooks'], [alice.id])
  return { gateway, api, say, journal, toBot, token, mine: token.api }
})

/** A body that is right, so that only the chat is wrong. */
const bodies = ({
  message,
  chat,
}: {
  message: string
  chat: string
}): Partial<Record<keyof typeof endpoints, object>> => ({
  sendMessage: { text: 'x' },
  editMessage: { text: 'x' },
  sendDraft: { text: 'x' },
  forwardMessage: { from: { chat_id: chat, message_id: message } },
  setReaction: { emoji: '👍' },
  sendPoll: { question: 'x', options: ['a', 'b'] },
  vote: { options: [0] },
  createHook: { chat_id: chat, format: 'text' },
  markRead: {},
})

test('[GATEWAY-15.3] every endpoint with a chat refuses one outside, the same whether it exists, and does nothing', async ({
  limited: { api, mine, say },
  alice,
  bob,
}) => {
  const { id: message } = await say(bob, 'a secret')
  const state = async () => [
    await api.ok('GET', `/v1/chats/${bob.id}/messages`),
    await api.ok('GET', '/v1/hooks'),
    await api.ok('GET', '/v1/chats'),
  ]
  const before = await state()
  let tried = 0
  for (const [name, { method, path, reach, form }] of Object.entries(endpoints) as [
    keyof typeof endpoints,
    Endpoint,
  ][]) {
    if (!Array.isArray(reach)) continue
    for (const place of reach as string[])
      for (const chat of [bob.id, 'b'.repeat(32)]) {
        tried += 1
        const query = place.startsWith('query.') ? `?${place.slice('query.'.length)}=${chat}` : ''
        const url = path.replace('{chat}', place === 'params.chat' ? chat : alice.id).replace('{msg}', message) + query
        const json = bodies({ message, chat })[name]
        const options = form ? { body: fileForm() } : json ? { json } : {}
        expect([name, place, await mine.call(method, url, options)]).toEqual([name, place, forbidden(OUTSIDE)])
      }
  }
  expect(tried).toBeGreaterThan(30)
  expect(await state()).toEqual(before)
})

function fileForm(): FormData {
  const form = new FormData()
  form.set('file', new Blob(['x']), 'x.txt')
  return form
}

test('[GATEWAY-15.3] a forward needs both chats, and both scopes', async ({
  limited: { gateway, api, mine, say },
  alice,
  bob,
}) => {
  const [of, to] = [await say(bob, 'a secret'), await say(alice, 'mine')]
  const forward = (from: Message) => ({ from: { chat_id: from.chat_id, message_id: from.id } })
  const there = `/v1/chats/${alice.id}/forward`
  expect(await mine.call('POST', there, { json: forward(of) })).toEqual(forbidden(OUTSIDE))
  expect(await mine.call('POST', `/v1/chats/${bob.id}/forward`, { json: forward(to) })).toEqual(forbidden(OUTSIDE))
  // A message of another chat is not found through one that is allowed.
  const disguised = { from: { chat_id: alice.id, message_id: of.id } }
  expect(await mine.call('POST', there, { json: disguised })).toEqual(notFound(/no message/))
  expect(await mine.ok('POST', there, forward(to))).toMatchObject({ text: 'mine' })
  const { api: sender } = await tokenOf({ gateway, api }, ['send'])
  expect(await sender.call('POST', there, { json: forward(to) })).toEqual(forbidden(/needs the scope read/))
})

test('[GATEWAY-15.3] messages and files of other chats are not found under an own chat', async ({
  limited: { api, mine },
  alice,
  bob,
}) => {
  const form = new FormData()
  form.set('file', new Blob(['secret']), 'secret.txt')
  const sent = await api.call<Message>('POST', `/v1/chats/${bob.id}/files`, { body: form })
  const inOwn = `/v1/chats/${alice.id}/messages/${sent.body.id}`
  for (const path of [inOwn, `${inOwn}/file`]) expect(await mine.call('GET', path)).toEqual(notFound(/no message/))
  expect(await mine.call('GET', `/v1/chats/${alice.id}/messages?around=${sent.body.id}`)).toEqual(
    notFound(/no message/),
  )
  const head = await mine.get(`/v1/chats/${bob.id}/messages/${sent.body.id}/file`, { method: 'HEAD' })
  expect(head.status).toBe(403)
})

test('[GATEWAY-15.3] lists have its own chats alone, page by page too', async ({
  limited: { gateway, api, mine },
  alice,
  bob,
}) => {
  const { chat } = await grouped(api, [alice])
  const ids = async (query = '') => (await mine.ok<Chat[]>('GET', `/v1/chats${query}`)).map(({ id }) => id)
  expect(await ids()).toEqual([alice.id])
  expect(await ids(`?after=${alice.id}`)).toEqual([])
  expect(await mine.call('GET', `/v1/chats?after=${bob.id}`)).toEqual(forbidden(OUTSIDE))
  const { api: both } = await tokenOf({ gateway, api }, ['read'], [chat, alice.id])
  const page = async (query: string) => (await both.ok<Chat[]>('GET', `/v1/chats${query}`)).map(({ id }) => id)
  expect(await page('')).toEqual([alice.id, chat])
  expect(await page('?limit=1')).toEqual([alice.id])
  expect(await page(`?limit=1&after=${alice.id}`)).toEqual([chat])
  for (const path of ['/v1/metrics', '/v1/webhook']) expect(await mine.call('GET', path)).toEqual(forbidden(OUTSIDE))
})

test('[GATEWAY-15.3] people are those of its chats', async ({ limited: { gateway, api, mine }, alice, bob }) => {
  expect(await mine.ok('GET', `/v1/people/${alice.id}`)).toMatchObject({ name: 'alice' })
  expect(await mine.ok('GET', `/v1/people/${alice.id}/safety-number`)).toMatchObject({ account: alice.id })
  for (const account of [bob.id, 'b'.repeat(32)])
    for (const path of [`/v1/people/${account}`, `/v1/people/${account}/safety-number`])
      expect(await mine.call('GET', path)).toEqual(forbidden(/is in none of them/))
  const { chat } = await grouped(api, [bob])
  const { api: ofGroup } = await tokenOf({ gateway, api }, ['read'], [chat])
  expect(await ofGroup.ok('GET', `/v1/people/${bob.id}`)).toMatchObject({ name: 'bob' })
  expect(await ofGroup.call('GET', `/v1/people/${alice.id}`)).toEqual(forbidden(/is in none of them/))
})

test('[GATEWAY-15.3] a press of another chat and a hook of another chat are as if they did not exist', async ({
  limited: { api, mine, toBot },
  alice,
  bob,
}) => {
  const buttons = [[{ text: 'Go', data: 'go' }]]
  const presses: string[] = []
  for (const person of [bob, alice]) {
    const { body: sent } = await api.send(person.id, { text: 'press', buttons })
    await person.next('message', event => event.message.id === sent['id'])
    await person.client.messages.press(toBot, { message: sent['id'] as Message['id'], data: 'go' }, WITHIN)
    presses.push((await api.next('button', update => update.chat_id === privateChatId(person.id))).button.press_id)
  }
  const [bobs, alices] = presses
  const answer = (press = '') => mine.call('POST', `/v1/presses/${press}/answer`, { json: { text: 'ok' } })
  expect(await answer(bobs)).toEqual(notFound(/no press/))
  expect(await answer(alices)).toEqual({ status: 200, body: {} })
  // The one that was refused can still be answered.
  expect(await api.call('POST', `/v1/presses/${bobs}/answer`, { json: { text: 'ok' } })).toEqual({
    status: 200,
    body: {},
  })

  const hook = (chat_id: string) => api.ok<CreatedHook>('POST', '/v1/hooks', { chat_id, format: 'text' })
  const [ofBob, ofAlice] = [await hook(bob.id), await hook(alice.id)]
  const listed = async () => (await mine.ok<{ id: string }[]>('GET', '/v1/hooks')).map(({ id }) => id)
  expect(await listed()).toEqual([ofAlice.id])
  expect(await mine.call('DELETE', `/v1/hooks/${ofBob.id}`)).toEqual(notFound(/no such hook/))
  await mine.ok('DELETE', `/v1/hooks/${ofAlice.id}`)
  expect((await api.ok<{ id: string }[]>('GET', '/v1/hooks')).map(({ id }) => id)).toEqual([ofBob.id])
})

test('[GATEWAY-15.4] it has readers of its own, which show its chats alone, in polls and streams', async ({
  limited: { api, mine, say, token },
  alice,
  bob,
}) => {
  // Both have a reader of the same name, and neither moves the other's.
  await api.updates('reader=tap')
  await mine.updates('reader=tap')
  const stream = await EventStream.open(token.server, 'reader=live')
  await say(bob, 'of bob')
  await say(alice, 'of alice')
  expect(texts(await mine.updates('reader=tap'))).toEqual(['of alice'])
  expect(texts([await stream.update()])).toEqual(['of alice'])
  const all = await api.updates('reader=tap')
  expect(texts(all)).toEqual(['of bob', 'of alice'])
  expect(await readers(mine)).toEqual([
    { name: 'live', offset: expect.any(Number), pending: 1, dropped: 0, token: token.made.id },
    { name: 'tap', offset: expect.any(Number), pending: 1, dropped: 0, token: token.made.id },
  ])
  const everybodys = (await readers(api)).map(({ name, token: owner = '' }) => [owner, name].join('/'))
  expect(everybodys.toSorted()).toEqual(['/tap', `${token.made.id}/live`, `${token.made.id}/tap`])
  await mine.ok('POST', '/v1/readers/tap', { offset: (all.at(-1)?.id ?? 0) + 1 })
  await mine.ok('DELETE', '/v1/readers/live')
  expect(await stream.next()).toBeUndefined()
  expect(await api.updates('reader=tap')).toEqual(all)
  await api.ok('DELETE', '/v1/readers/tap')
  expect((await readers(mine)).map(({ name }) => name)).toEqual(['tap'])
  // The readers of others are not found under their names.
  await api.updates('reader=secret')
  expect(await mine.call('DELETE', '/v1/readers/secret')).toEqual(notFound(/no reader/))
  expect(await mine.call('POST', '/v1/readers/secret', { json: { offset: 9 } })).toEqual(notFound(/no reader/))
  await api.ok('DELETE', `/v1/tokens/${token.made.id}`)
  expect((await readers(api)).map(({ name }) => name)).toEqual(['secret'])
})

test('[GATEWAY-15.4] it neither sees nor confirms the queue without a name, and a wait ends with its own chats', async ({
  limited: { api, mine, say },
  alice,
  bob,
}) => {
  await say(alice, 'waits for the bot')
  const before = await api.updates()
  for (const query of ['', '?offset=1000000', '?types=message'])
    expect(await mine.call('GET', `/v1/updates${query}`)).toEqual(forbidden(/Name a reader/))
  expect(await api.updates()).toEqual(before)
  await mine.updates('reader=poll')
  const poll = mine.updates('reader=poll&timeout=60')
  await say(bob, 'wakes it')
  await say(alice, 'is for it')
  expect(texts(await poll)).toEqual(['is for it'])
})

test('[GATEWAY-15.4] it can take no reader from others, and what it lost are updates of its chats', async ({
  clock,
  world,
  alice,
  bob,
}) => {
  const { gateway, api } = await onlineGateway(world, {}, { clock })
  for (const person of [alice, bob]) await person.openInvite((await api.me()).invite_url)
  await expect.poll(() => gateway.client.journal.newest(), SOON).toBe(2)
  const { api: mine } = await tokenOf({ gateway, api }, ['read'], [alice.id])
  for (let at = 0; at < gatewayLimits.readersOfTokenMax; at += 1) await mine.updates(`reader=r${at}`)
  expect(await mine.call('GET', '/v1/updates?reader=more')).toEqual(badRequest(/already 2 readers/))
  for (let at = 0; at < gatewayLimits.readersMax; at += 1) await api.updates(`reader=r${at}`)
  expect(await api.call('GET', '/v1/updates?reader=more')).toEqual(badRequest(/already 8 readers/))
  const toBot = privateChatId(gateway.client.account)
  for (const [at, person] of [alice, bob, bob].entries()) {
    await person.say(toBot, 'x')
    await expect.poll(() => gateway.client.journal.newest(), SOON).toBe(3 + at)
  }
  clock.leap(gatewayLimits.updatesKeptMs + 3_600_000)
  await expect.poll(async () => (await readers(api)).find(({ token }) => token === undefined)?.dropped, SOON).toBe(3)
  await expect.poll(async () => (await readers(mine))[0]?.dropped, SOON).toBe(1)
})

test('[GATEWAY-15.5] its Idempotency-Keys are its own: it can neither use up nor look up those of others', async ({
  limited: { api, mine },
  alice,
  bob,
}) => {
  const send = (caller: typeof api, chat: string, text: string) =>
    caller.call<Message>('POST', `/v1/chats/${chat}/messages`, {
      json: { text },
      headers: { 'idempotency-key': 'u5.1' },
    })
  const squatted = await send(mine, alice.id, 'squatted')
  const sent = await send(api, bob.id, 'the real one')
  expect([squatted.status, sent.status]).toEqual([200, 200])
  expect((await send(mine, alice.id, 'squatted')).body.id).toBe(squatted.body.id)
  expect((await send(api, bob.id, 'the real one')).body.id).toBe(sent.body.id)
  await bob.hears('the real one')
  const other = await mine.get(`/v1/chats/${alice.id}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'u5.1' },
    body: JSON.stringify({ text: 'other' }),
  })
  expect([other.status, other.headers.get('idempotency-message')]).toEqual([400, squatted.body.id])
  // A key as long as any caller may send.
  const long = { 'idempotency-key': 'k'.repeat(gatewayLimits.idempotencyKeyBytesMax) }
  expect(
    (await mine.call('POST', `/v1/chats/${alice.id}/messages`, { json: { text: 'x' }, headers: long })).status,
  ).toBe(200)
})
