// Scoped tokens: how they are created, what each scope opens, and what is left of them on the disk and after a revocation.
import { once } from 'node:events'
import { connect } from 'node:net'
import {
  type ApiToken,
  type CreatedToken,
  type Endpoint,
  endpoints,
  scopeNames,
  type TokenScope,
} from '@postern/bot-api'
import { gatewayLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { EventStream } from '@postern/testkit/event-stream'
import { describe, expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test } from './fixtures.ts'
import { readers, reading } from './reading.ts'
import { badRequest, notFound } from './talking.ts'
import { forbidden, tokenOf, unauthorized } from './token-callers.ts'

const all = Object.entries(endpoints) as [keyof typeof endpoints, Endpoint][]
const list = (api: Api) => api.ok<ApiToken[]>('GET', '/v1/tokens')

describe('the table', () => {
  test('[GATEWAY-15.2] every endpoint names its scopes, or is open', () => {
    for (const [name, { open, scopes, reach }] of all) {
      expect([name, open === true ? scopes : scopes?.length]).toEqual([
        name,
        open === true ? undefined : expect.any(Number),
      ])
      for (const scope of scopes ?? []) expect(scopeNames).toContain(scope)
      if (!open) expect([name, scopes?.length]).not.toEqual([name, 0])
      expect([name, reach === undefined]).toEqual([name, !scopes || (scopes as readonly string[]).includes('admin')])
    }
  })

  test('[GATEWAY-15.3] every endpoint that names a chat says where, and only getMe is about none', () => {
    const limited = all.filter(([, { reach }]) => reach !== undefined)
    for (const [name, { path, query, body, reach }] of limited) {
      const places = [
        ...(path.includes('{chat}') ? ['params.chat'] : []),
        ...(query && 'chat' in query.shape ? ['query.chat'] : []),
        ...(name === 'listChats' ? ['query.after'] : []),
        ...(body && 'shape' in body && 'chat_id' in (body.shape as object) ? ['body.chat_id'] : []),
        ...(name === 'forwardMessage' ? ['body.from.chat_id'] : []),
      ]
      if (places.length > 0) expect([name, reach]).toEqual([name, places])
      else expect([name, Array.isArray(reach)]).toEqual([name, false])
    }
    expect(limited.filter(([, { reach }]) => reach === 'none').map(([name]) => name)).toEqual(['getMe'])
  })
})

test('[GATEWAY-15.1] a token is shown once, opens what it should, and only its hash is kept', async ({
  talking: { gateway, api },
}) => {
  const { made, api: mine } = await tokenOf({ gateway, api }, ['read'])
  expect(made).toEqual({
    id: expect.stringMatching(/^[a-z2-7]{8}$/),
    name: 'a token',
    scopes: ['read'],
    ts: expect.any(Number),
    token: expect.stringMatching(new RegExp(`^postern_${made.id}_[\\w-]{43}$`)),
  })
  expect((await mine.me()).id).toBe(gateway.client.account)
  const { token, ...shown } = made
  expect(await list(api)).toEqual([{ ...shown, last_used_ts: expect.any(Number) }])
  const kept = JSON.stringify(gateway.client.records('tokens').all())
  expect(kept).toContain(made.id)
  expect(kept).not.toContain(token.split('_').at(-1))
  const wrong = [
    `${token}x`,
    token.slice(0, -1),
    token.replace(made.id, 'aaaaaaaa'),
    token.toUpperCase(),
    `postern_${made.id}_`,
  ]
  for (const one of [...wrong, `${token.slice(0, -2)}${token.endsWith('A') ? 'BB' : 'AA'}`])
    expect([one, await mine.call('GET', '/v1/me', { headers: { authorization: `Bearer ${one}` } })]).toEqual([
      one,
      unauthorized,
    ])
})

test('[GATEWAY-15.1] bad fields are 400 and create nothing; a chat that is not there is 404', async ({
  talking: { api },
  alice,
}) => {
  const good = { name: 'x', scopes: ['send'] }
  const scopes = 'scopes: must be an array of different scopes: read, send, hooks, admin.'
  for (const [json, sentence] of [
    [{ scopes: ['send'] }, /^name: /],
    [{ ...good, name: 'a\nb' }, /^name: must not contain line breaks/],
    [{ name: 'x' }, scopes],
    [{ ...good, scopes: [] }, scopes],
    [{ ...good, scopes: ['send', 'send'] }, scopes],
    [{ ...good, scopes: ['root'] }, /^scopes\[0\]: must be an array of different scopes/],
    [{ ...good, chats: [] }, /^chats: must be an array of 1 to 100 different chat ids/],
    [{ ...good, chats: [alice.id, alice.id] }, /^chats: must be an array of 1 to 100 different chat ids/],
    [{ ...good, scopes: ['read', 'admin'], chats: [alice.id] }, 'chats: cannot be combined with the scope admin.'],
  ] as const)
    expect([json, await api.call('POST', '/v1/tokens', { json })]).toEqual([json, badRequest(sentence)])
  const unknown = { ...good, chats: ['b'.repeat(32)] }
  expect(await api.call('POST', '/v1/tokens', { json: unknown })).toEqual(notFound(/no chat/))
  expect(await api.call('DELETE', '/v1/tokens/nothing')).toEqual(notFound(/no such token/))
  expect(await list(api)).toEqual([])
})

test('[GATEWAY-15.1] there are at most 100, however many are created at the same moment', async ({
  online: { api },
}) => {
  const json = { name: 'x', scopes: ['read'] }
  const made = await Promise.all(
    Array.from({ length: gatewayLimits.tokensMax + 5 }, () => api.call('POST', '/v1/tokens', { json })),
  )
  expect(made.filter(({ status }) => status === 200)).toHaveLength(gatewayLimits.tokensMax)
  expect(made.find(({ status }) => status === 400)).toEqual(badRequest(/already 100 tokens/))
  const tokens = await list(api)
  expect(tokens).toHaveLength(gatewayLimits.tokensMax)
  await api.ok('DELETE', `/v1/tokens/${tokens[0]?.id}`)
  await api.ok('POST', '/v1/tokens', json)
})

test('[GATEWAY-15.2] at every endpoint a token without its scope is refused, and the answer names the scope', async ({
  world,
  alice,
}) => {
  const { gateway, api } = await onlineGateway(world, { HOOKS_URL: 'https://hooks.example.org' })
  await alice.openInvite((await api.me()).invite_url)
  const before = await api.me()
  const callers = new Map<TokenScope, Api>()
  for (const scope of scopeNames) callers.set(scope, (await tokenOf({ gateway, api }, [scope])).api)
  for (const [name, { open, method, path, scopes = [] }] of all) {
    if (open) continue
    for (const [scope, caller] of callers) {
      const missing = scope === 'admin' ? undefined : scopes.find(one => one !== scope)
      if (missing === undefined) continue
      // Refused before a body is even looked at.
      const url = path.replaceAll(/\{\w+\}/g, alice.id)
      expect([name, scope, await caller.call(method, url)]).toEqual([
        name,
        scope,
        forbidden(new RegExp(`needs the scope ${missing}`)),
      ])
    }
  }
  expect(await api.me()).toEqual(before)
  const admin = callers.get('admin')
  // An admin token can do everything, and use these endpoints, too.
  expect(await admin?.ok('PATCH', '/v1/me', { about: 'renamed' })).toMatchObject({ about: 'renamed' })
  expect(await admin?.ok('GET', '/v1/tokens')).toHaveLength(4)
  expect(await callers.get('send')?.send(alice.id, { text: 'hello' })).toMatchObject({ status: 200 })
  await alice.hears('hello')
  expect(await callers.get('hooks')?.ok('GET', '/v1/hooks')).toEqual([])
  expect(await callers.get('read')?.call('GET', '/v1/nothing')).toEqual(notFound(/no GET at this address/))
})

test('[GATEWAY-15.2] BOT_TOKEN stays what it was, and a scoped token opens no hook and no face', async ({ world }) => {
  const { gateway, api } = await onlineGateway(world, {
    TELEGRAM_API: 'on',
    BOT_TOKEN: 'the-bot-token',
    METRICS_TOKEN: 'figures',
  })
  const { made } = await tokenOf({ gateway, api }, ['admin'])
  const status = async (path: string, token?: string) =>
    (await fetch(gateway.url + path, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }))
      .status
  expect([await status(`/bot${made.token}/getMe`), await status(`/bot${gateway.token}/getMe`)]).toEqual([401, 200])
  expect([await status('/v1/metrics', 'figures'), await status('/v1/metrics', made.token)]).toEqual([200, 200])
  expect([await status('/v1/me', gateway.token), await status('/v1/me', 'figures'), await status('/v1/me')]).toEqual([
    200, 401, 401,
  ])
})

describe('a revocation', () => {
  test('[GATEWAY-15.6] is immediate: also for a poll, a stream and a body that are under way', async ({
    world,
    alice,
  }) => {
    const { gateway, api, say } = await reading(world, alice)
    const { made, api: mine, server } = await tokenOf({ gateway, api }, ['read', 'send'])
    await mine.updates('reader=poll')
    const poll = mine.updates('reader=poll&types=message&timeout=60').then(
      () => 'answered',
      () => 'cut',
    )
    const stream = await EventStream.open(server, 'reader=stream')
    expect(await stream.aside()).toContain('retry')
    // The head of a send, whose body comes after the revocation.
    const { port } = gateway
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const body = JSON.stringify({ text: 'too late' })
    socket.write(
      `POST /v1/chats/${alice.id}/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${made.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    )
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(String(first)).toContain('100 Continue')
    const closed = once(socket, 'close').catch(() => undefined)
    // The types of its reader show that the poll has arrived.
    const types = async () => (await readers(api)).map(reader => reader.types)
    await expect.poll(types, SOON).toEqual([['message'], undefined])

    await api.ok('DELETE', `/v1/tokens/${made.id}`)
    if (socket.writable) socket.write(body)
    await closed
    expect(await poll).toBe('cut')
    await expect(stream.next()).rejects.toThrow()
    expect(await mine.call('GET', '/v1/me')).toEqual(unauthorized)
    expect(await api.call('DELETE', `/v1/tokens/${made.id}`)).toEqual(notFound(/no such token/))
    await say('after')
    await api.send(alice.id, { text: 'still here' })
    await alice.hears('still here')
    const messages = await api.ok<{ text?: string }[]>('GET', `/v1/chats/${alice.id}/messages`)
    expect(messages.map(({ text }) => text)).toEqual(['after', 'still here'])
  })

  test('[GATEWAY-15.6] leaves other callers and other tokens alone, and stays after a restart', async ({ world }) => {
    const { gateway, api } = await onlineGateway(world)
    const [one, two] = [await tokenOf({ gateway, api }, ['read']), await tokenOf({ gateway, api }, ['read'])]
    await two.api.updates('reader=two')
    const poll = two.api.updates('reader=two&timeout=1')
    await api.ok('DELETE', `/v1/tokens/${one.made.id}`)
    expect(await poll).toEqual([])
    await world.closeGateway(gateway)
    const again = await onlineGateway(world)
    const ask = (made: CreatedToken) =>
      again.api.call('GET', '/v1/me', { headers: { authorization: `Bearer ${made.token}` } })
    expect(await ask(one.made)).toEqual(unauthorized)
    expect(await ask(two.made)).toMatchObject({ status: 200 })
  })

  test('[GATEWAY-15.6] that the disk refuses is 503, and the token stays', async ({ online: { gateway, api } }) => {
    const { made, api: mine } = await tokenOf({ gateway, api }, ['read'])
    const { store } = gateway.client.journal
    const write = store.write.bind(store)
    store.write = () => Promise.reject(new Error('the disk is gone'))
    expect((await api.call('DELETE', `/v1/tokens/${made.id}`)).status).toBe(500)
    expect((await api.call('POST', '/v1/tokens', { json: { name: 'x', scopes: ['read'] } })).status).toBe(500)
    store.write = write
    await mine.me()
    expect(await list(api)).toHaveLength(1)
  })
})

test('[GATEWAY-15.7] a restart keeps tokens, and their last use is written at most once a minute', async ({
  world,
}) => {
  const clock = new ManualClock()
  const { gateway, api } = await onlineGateway(world, {}, { clock })
  const { made, api: mine } = await tokenOf({ gateway, api }, ['read'])
  expect((await list(api))[0]).not.toHaveProperty('last_used_ts')
  const written = () =>
    (JSON.parse(gateway.client.records('tokens').get(made.id) ?? '{}') as { usedTs?: number }).usedTs
  const start = clock.nowMs()
  await mine.me()
  await expect.poll(written, SOON).toBe(start)
  clock.advance(59_999)
  await mine.me()
  // Known, and not written yet.
  expect((await list(api))[0]?.last_used_ts).toBe(start + 59_999)
  expect(written()).toBe(start)
  clock.advance(1)
  await mine.me()
  await expect.poll(written, SOON).toBe(start + 60_000)
  await world.closeGateway(gateway)
  const again = await onlineGateway(world, {}, { clock })
  expect(await list(again.api)).toEqual([
    { id: made.id, name: 'a token', scopes: ['read'], ts: made.ts, last_used_ts: start + 60_000 },
  ])
  expect((await again.api.call('GET', '/v1/me', { headers: { authorization: `Bearer ${made.token}` } })).status).toBe(
    200,
  )
})
