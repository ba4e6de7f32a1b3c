// The HTTP layer of the API over real sockets: token, paths, bodies and errors. The endpoints are tested elsewhere.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { accountIdOf, apiError, chatIdOf, endpoints, messageIdOf } from '@postern/bot-api'
import { CodedError, gatewayLimits, systemClock } from '@postern/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { GracefulClose } from '../src/http/graceful-close.ts'
import type { Handlers } from '../src/http/handler.ts'
import { addRoutes } from '../src/http/routes.ts'
import { createServer } from '../src/http/server.ts'

const token = 'right-token'
const authorization = `Bearer ${token}`
const nothing = () => {}
const logged: object[] = []
const keep = (fields: object) => void logged.push(fields)
const log = { debug: nothing, info: nothing, warn: keep, error: keep }
const message = {
  id: messageIdOf('m'.repeat(32)),
  chat_id: chatIdOf('c'.repeat(32)),
  from: { id: accountIdOf('a'.repeat(32)), name: 'A' },
  ts: 1,
}
const handlers = {
  ...(Object.fromEntries(Object.keys(endpoints).map(name => [name, () => ({})])) as unknown as Handlers),
  getMe: vi.fn<Handlers['getMe']>(() => ({
    id: accountIdOf('b'.repeat(32)),
    name: 'Bot',
    invite_url: 'u',
    about: '',
    commands: [],
  })),
  listChats: vi.fn<Handlers['listChats']>(() => []),
  getChat: vi.fn<Handlers['getChat']>(() => {
    throw new CodedError('chat-not-found', { chat: 'c' })
  }),
  sendMessage: vi.fn<Handlers['sendMessage']>(() => message),
  getUpdates: vi.fn<Handlers['getUpdates']>(() => []),
} satisfies Handlers

const stopping = new GracefulClose()
const server = createServer({ botToken: token, log, clock: systemClock, stopping })
let port: number
beforeAll(async () => {
  addRoutes(server, handlers, { stopping, clock: systemClock })
  await server.listen({ host: '127.0.0.1', port: 0 })
  port = (server.server.address() as AddressInfo).port
})
afterAll(() => server.close())
beforeEach(() => void vi.clearAllMocks())

async function ask(path: string, init: RequestInit = {}) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...init,
    headers: { authorization, ...(init.headers as Record<string, string>) },
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  return { status: answer.status, headers: answer.headers, body: isJson && text !== '' ? JSON.parse(text) : undefined }
}

const post = (body: BodyInit, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  ask(`/v1/chats/${'c'.repeat(32)}/messages`, { method: 'POST', body, headers })

describe('the token', () => {
  test.each([
    ['none', {}],
    ['empty', { authorization: '' }],
    ['another', { authorization: 'Bearer wrong-token' }],
    ['longer', { authorization: `Bearer ${token}x` }],
    ['without scheme', { authorization: token }],
    ['another scheme', { authorization: `Basic ${token}` }],
  ])('[GATEWAY-2.1] %s: 401 for every path under /v1, known or not', async (_, headers) => {
    for (const path of ['/v1/me', '/v1/chats', '/v1/nothing', '/v1', '/v1/%ff', '/v1/updates?limit=x']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
      expect([path, answer.status]).toEqual([path, 401])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(apiError.parse(await answer.json()).code).toBe('unauthorized')
    }
    expect(handlers.getMe).not.toHaveBeenCalled()
  })

  test('[GATEWAY-2.1] the scheme is written as one likes', async () => {
    expect((await ask('/v1/me', { headers: { authorization: `bearer  ${token}` } })).status).toBe(200)
  })

  test('[GATEWAY-2.2] health answers {} without a token, to GET and HEAD', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`)
    expect([answer.status, await answer.json()]).toEqual([200, {}])
    expect((await fetch(`http://127.0.0.1:${port}/healthz`, { method: 'HEAD' })).status).toBe(200)
  })
})

describe('paths', () => {
  test.each([
    ['GET', '/v1/nothing'],
    ['GET', '/v1'],
    ['GET', '/'],
    ['GET', '/V1/me'],
    ['GET', '/v1/me/'],
    ['POST', '/v1/me'],
    ['DELETE', '/v1/chats'],
    ['GET', '/v1/chats/%ff'],
    ['GET', '/v1/chats/'],
    ['GET', '/v1/chats//messages'],
    ['DELETE', '/v1/hooks/'],
    ['POST', '/hooks/'],
    ['PUT', '/v1/me/avatar/'],
    ['POST', '/v1/me/avatar'],
    ['GET', '/openapi.json/'],
    ['GET', `/v1/chats/${'x'.repeat(5000)}/nothing`],
    ['POST', '/healthz'],
  ])('[GATEWAY-2.3] %s %s: 404', async (method, path) => {
    const answer = await ask(path, { method })
    expect(answer.status).toBe(404)
    expect(apiError.parse(answer.body)).toEqual({
      code: 'not_found',
      error: `There is no ${method} at this address. GET /openapi.json lists all endpoints.`,
    })
  })

  test('[GATEWAY-2.3] of a path that is wrong no body is found to be wrong', async () => {
    const wrong = { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }
    expect((await ask('/v1/nothing', wrong)).status).toBe(404)
  })
})

describe('bodies', () => {
  const bad: [string, BodyInit, Record<string, string>, RegExp][] = [
    ['no JSON', '{"text":', { 'content-type': 'application/json' }, /^body: .*JSON/],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), { 'content-type': 'application/json' }, /^body: .*UTF-8/],
    ['nothing', '', { 'content-type': 'application/json' }, /^body: must be a JSON object/],
    ['an array', '[]', { 'content-type': 'application/json' }, /^body: must be a JSON object/],
    ['null', 'null', { 'content-type': 'application/json' }, /^body: must be a JSON object/],
    ['another type', 'text=hello', { 'content-type': 'application/x-www-form-urlencoded' }, /^Content-Type: /],
    ['no type', new Blob(['{"text":"x"}']), {}, /^Content-Type: /],
    ['no text', '{}', { 'content-type': 'application/json' }, /^text: must be a string/],
    ['text that is none', '{"text":5}', { 'content-type': 'application/json' }, /^text: must be a string/],
    ['an empty text', '{"text":""}', { 'content-type': 'application/json' }, /^text: must have 1 to 4096/],
    [
      'a long text',
      JSON.stringify({ text: 'x'.repeat(4097) }),
      { 'content-type': 'application/json' },
      /^text: must have 1 to/,
    ],
    ['half a pair', '{"text":"a\\ud800"}', { 'content-type': 'application/json' }, /^text: .*surrogate/],
    ['a bad reply', '{"text":"a","reply_to":"x"}', { 'content-type': 'application/json' }, /^reply_to: .*message id/],
    [
      'bad mentions',
      '{"text":"a","mentions":{}}',
      { 'content-type': 'application/json' },
      /^mentions: must be an array/,
    ],
    [
      'a mention outside',
      JSON.stringify({ text: 'hi', mentions: [{ user: 'a'.repeat(32), offset: 1, length: 2 }] }),
      { 'content-type': 'application/json' },
      /^mentions\[0\]: must end within/,
    ],
    [
      'a mention of nobody',
      JSON.stringify({ text: 'hi', mentions: [{ user: 'bob', offset: 0, length: 1 }] }),
      { 'content-type': 'application/json' },
      /^mentions\[0\]\.user: .*account id/,
    ],
    [
      'half a button',
      '{"text":"a","buttons":[[{"text":"x"}]]}',
      { 'content-type': 'application/json' },
      /^buttons\[0\]\[0\]: must have either data or url/,
    ],
  ]
  test.each(bad)('[GATEWAY-2.7] %s: 400 that names the field and the rule', async (_, body, headers, sentence) => {
    const answer = await post(body, headers)
    expect(answer.status).toBe(400)
    expect(apiError.parse(answer.body)).toEqual({ code: 'bad_request', error: expect.stringMatching(sentence) })
    expect(handlers.sendMessage).not.toHaveBeenCalled()
  })

  test('[GATEWAY-2.7] a body that is too large: 400', async () => {
    const answer = await post(JSON.stringify({ text: 'x'.repeat(gatewayLimits.jsonBodyBytesMax) }))
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      code: 'bad_request',
      error: expect.stringMatching(/^body: must have at most 1048576 bytes/),
    })
  })

  test('[GATEWAY-2.7] what is not even HTTP: 400 with a body like any other', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.end('HELLO\r\n\r\n')
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    const [head, body] = bytes.toString().split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(apiError.parse(JSON.parse(body ?? '')).code).toBe('bad_request')
  })

  test('[GATEWAY-2.8] unknown fields are ignored, and null is the same as absent', async () => {
    const body = '{"text":"hello","reply_to":null,"mentions":null,"buttons":[],"parse_mode":"html","__proto__":{"a":1}}'
    expect((await post(body)).status).toBe(200)
    const [input] = handlers.sendMessage.mock.calls[0] ?? []
    expect(input?.body).toEqual({ text: 'hello', buttons: [] })
  })

  test('[GATEWAY-2.8] 4096 characters are allowed, an emoji counted as one', async () => {
    expect((await post(JSON.stringify({ text: '🤖'.repeat(4096) }))).status).toBe(200)
  })

  test('[GATEWAY-2.8] a charset behind the type does not matter', async () => {
    expect((await post('{"text":"x"}', { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200)
  })
})

describe('queries', () => {
  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=1.5',
    'limit=',
    'limit=1&limit=2',
    'timeout=61',
    'timeout=-1',
    'offset=-1',
    'offset=9007199254740993',
    'offset=1e3',
  ])('[GATEWAY-2.9] %s: 400 that names the parameter', async query => {
    const answer = await ask(`/v1/updates?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(new RegExp(`^${query.split('=')[0]}: must be a whole number `))
  })

  test('[GATEWAY-2.9] what is absent has its default', async () => {
    await ask('/v1/updates')
    expect(handlers.getUpdates.mock.calls[0]?.[0].query).toEqual({ offset: 0, timeout: 0, limit: 100, from: 'now' })
  })
})

describe('errors', () => {
  test('[GATEWAY-2.10] a coded error has its status and its sentence', async () => {
    const answer = await ask('/v1/chats/c')
    expect([answer.status, answer.body]).toEqual([404, { code: 'not_found', error: 'There is no chat c.' }])
  })

  test('[GATEWAY-2.10] 503 says when to try again', async () => {
    handlers.getMe.mockImplementationOnce(() => {
      throw new CodedError('relay-unreachable')
    })
    const answer = await ask('/v1/me')
    expect([answer.status, answer.headers.get('retry-after'), answer.body.code]).toEqual([503, '5', 'unavailable'])
  })

  test('[GATEWAY-2.10] a fault of ours is 500, told to the log and not to the caller', async () => {
    handlers.getMe.mockImplementationOnce(() => {
      throw new Error('the key is 1234')
    })
    const answer = await ask('/v1/me')
    expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
    expect(JSON.stringify(answer.body)).not.toMatch(/1234|\bat\b.*\.ts/)
    expect(logged).toContainEqual({ route: 'GET /v1/me', err: expect.objectContaining({ message: 'the key is 1234' }) })
  })
})

test('[GATEWAY-5.5] a handler learns that its caller has gone', async () => {
  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  handlers.getUpdates.mockImplementationOnce(async (_, { gone }) => {
    gone.addEventListener('abort', () => left.resolve())
    asked.resolve()
    await left.promise
    return []
  })
  const caller = new AbortController()
  const asking = ask('/v1/updates', { signal: caller.signal }).catch(() => 'gone')
  await asked.promise
  caller.abort()
  expect(await asking).toBe('gone')
  await left.promise
})

test('[GATEWAY-2.11] every endpoint of the table is served', async () => {
  for (const { method, path } of Object.values(endpoints)) {
    const answer = await ask(path.replaceAll(/\{\w+\}/g, 'c'), { method })
    if (answer.status === 404) expect(answer.body.error).not.toMatch(/^There is no (GET|POST|PUT|PATCH|DELETE) /)
  }
})
