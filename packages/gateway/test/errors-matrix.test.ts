// Every endpoint × every way to be wrong: always the right status, one sentence that names the fault, and no effect.
import { apiError, type Endpoint, endpoints } from '@postern/bot-api'
import { gatewayLimits } from '@postern/protocol'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { onlineGateway } from './api.ts'
import { fullBodies, unknownId, wrongBodies, wrongTypes } from './wrong-bodies.ts'

const all = Object.entries(endpoints) as [string, Endpoint][]

const json = (value: unknown): RequestInit => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
})

const badRequest = (error: RegExp | string) => ({
  status: 400,
  code: 'bad_request',
  error: typeof error === 'string' ? error : expect.stringMatching(error),
})

const test = base
  .extend('online', { scope: 'file' }, ({ world }) => onlineGateway(world, { HOOKS_URL: 'https://hooks.example.org' }))
  .extend('gateway', { scope: 'file' }, ({ online }) => online.gateway)
  .extend('api', { scope: 'file' }, ({ online }) => online.api)
  .extend('alice', { scope: 'file' }, ({ world }) => world.person('alice'))
  .extend('message', { scope: 'file' }, async ({ alice, api }) =>
    String((await api.send(alice.id, { text: 'hello' })).body['id']),
  )
  /** The endpoint's address, for a chat and a message that exist. */
  .extend(
    'urlOf',
    ({ alice, message }) =>
      ({ path }: Endpoint, ids: { chat?: string; msg?: string } = {}) =>
        path
          .replace('{chat}', ids.chat ?? alice.id)
          .replace('{msg}', ids.msg ?? message)
          .replaceAll(/\{\w+\}/g, 'x'),
  )
  .extend('refused', ({ gateway }) => async (method: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      ...init,
      headers: { authorization: `Bearer ${gateway.token}`, ...(init.headers as Record<string, string>) },
    })
    const { error, code } = apiError.parse(await response.json())
    expect(error, 'one sentence').toMatch(/^[^\n]+\.$/)
    expect(error, 'without a trace of where it happened').not.toMatch(/\.ts\b|node_modules|\bat .*:\d/)
    return { status: response.status, code, error }
  })
  .extend('state', ({ alice, api }) => async () => [
    await api.me(),
    await api.ok('GET', '/v1/chats'),
    await api.ok<{ status?: string }[]>('GET', `/v1/chats/${alice.id}/messages`).then(list => list.length),
  ])

test.beforeAll(async ({ alice, api }) => {
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
})

describe('the token', () => {
  test.for(all.filter(([, endpoint]) => !endpoint.open))(
    '[GATEWAY-2.16] %s without it: 401',
    async ([, endpoint], { gateway, refused, urlOf }) => {
      for (const authorization of ['', 'Bearer wrong', gateway.token])
        expect(await refused(endpoint.method, urlOf(endpoint), { headers: { authorization } })).toMatchObject({
          status: 401,
          code: 'unauthorized',
        })
    },
  )
})

describe('paths', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const served = new Set(all.map(([, { method, path }]) => `${method} ${path}`))
  const wrong = [...new Set(all.map(([, { path }]) => path))].flatMap(path =>
    methods.filter(method => !served.has(`${method} ${path}`)).map(method => [method, path] as const),
  )
  test.for(wrong)('[GATEWAY-2.16] %s %s, a wrong method: 404', async ([method, path], { urlOf, refused }) => {
    const body = method === 'GET' ? {} : json({})
    const url = urlOf({ path } as Endpoint)
    expect(await refused(method, url, body)).toEqual({
      status: 404,
      code: 'not_found',
      error: `There is no ${method} at this address. GET /openapi.json lists all endpoints.`,
    })
  })

  test.for(all.filter(([, { open }]) => !open))(
    '[GATEWAY-2.16] %s with something behind its path: 404',
    async ([, endpoint], { refused, urlOf }) => {
      for (const behind of ['/', '/more'])
        expect(await refused(endpoint.method, `${urlOf(endpoint)}${behind}`)).toMatchObject({ status: 404 })
    },
  )
})

/** A valid body, for endpoints that need one. */
const rightBodies: Partial<Record<keyof typeof endpoints, object>> = {
  sendMessage: { text: 'x' },
  sendDraft: { text: 'x' },
  editMessage: { text: 'x' },
  forwardMessage: { from: { chat_id: unknownId, message_id: unknownId } },
  setReaction: { emoji: '👍' },
  createGroup: { name: 'x', members: [] },
  createInvite: { payload: 'x' },
  changeChat: { name: 'x' },
  addMembers: { add: [unknownId] },
  setAdmin: { admin: true },
  compareSafetyNumber: { verified: true },
  answerJoinRequest: { add: true },
  sendPoll: { question: 'x', options: ['a', 'b'] },
  vote: { options: [] },
}

/** A valid request. */
function rightRequest(name: string): RequestInit {
  if (name === 'sendFile' || name === 'sendAlbum') {
    const body = new FormData()
    body.set('file', new Blob(['x']), 'x')
    return { body }
  }
  const body = rightBodies[name as keyof typeof endpoints]
  return body ? json(body) : {}
}

describe('ids', () => {
  const withChat = all.filter(([, { params }]) => params && 'chat' in params.shape)
  test.for(withChat)(
    '[GATEWAY-2.16] %s of a chat that does not exist: 404',
    async ([name, endpoint], { refused, urlOf }) => {
      for (const chat of [unknownId, 'c'.repeat(26), 'x', '%20', '..%2f..'])
        expect(await refused(endpoint.method, urlOf(endpoint, { chat }), rightRequest(name))).toMatchObject({
          status: 404,
          code: 'not_found',
        })
    },
  )

  const withMessage = all.filter(([, { params }]) => params && 'msg' in params.shape)
  test.for(withMessage)(
    '[GATEWAY-2.16] %s of a message that does not exist: 404',
    async ([name, endpoint], { refused, urlOf }) => {
      for (const msg of [unknownId, 'x', '%20'])
        expect(await refused(endpoint.method, urlOf(endpoint, { msg }), rightRequest(name))).toMatchObject({
          status: 404,
          code: 'not_found',
          error: expect.stringMatching(/^There is no message /),
        })
    },
  )
})

describe('bodies', () => {
  const withBody = all.filter(([, { body }]) => body)
  test.for(withBody)(
    '[GATEWAY-2.16] %s with a body that is no object: 400',
    async ([, endpoint], { refused, urlOf }) => {
      const ask = (init: RequestInit) => refused(endpoint.method, urlOf(endpoint), init)
      for (const value of ['text', 5, [], true])
        expect(await ask(json(value))).toEqual(badRequest('body: must be a JSON object.'))
      const headers = { 'content-type': 'application/json' }
      for (const body of ['{', '{"text":"x"', 'text', "{'a':1}", '\xff'])
        expect(await ask({ body, headers })).toEqual(badRequest('body: must be valid JSON in UTF-8.'))
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x'])
        expect(await ask({ body: '{}', headers: { 'content-type': type } })).toEqual(
          badRequest('Content-Type: must be application/json.'),
        )
      const large = JSON.stringify({ text: 'x'.repeat(gatewayLimits.jsonBodyBytesMax) })
      expect(await ask({ body: large, headers })).toEqual(badRequest(/^body: must have at most 1048576 bytes\.$/))
    },
  )

  const needsBody = withBody.filter(([name]) => name !== 'markRead')
  test.for(needsBody)('[GATEWAY-2.16] %s without a body: 400', async ([, endpoint], { refused, urlOf }) => {
    expect(await refused(endpoint.method, urlOf(endpoint))).toEqual(badRequest('body: must be a JSON object.'))
  })

  const named = wrongBodies.map(
    ([name, body, sentence]) => [name, JSON.stringify(body).slice(0, 50), sentence, body] as const,
  )
  test.for(named)('[GATEWAY-2.16] %s with %s: %s', async ([name, , sentence, body], { state, refused, urlOf }) => {
    const endpoint: Endpoint = endpoints[name]
    const before = await state()
    expect(await refused(endpoint.method, urlOf(endpoint), json(body))).toEqual(badRequest(sentence))
    expect(await state(), 'nothing is half done').toEqual(before)
  })

  test.for(withBody)(
    '[GATEWAY-2.13] %s with a field of a wrong type: the type that it must have',
    async ([name, endpoint], { refused, urlOf }) => {
      for (const [field, body] of wrongTypes(fullBodies[name as keyof typeof fullBodies])) {
        const { status, error } = await refused(endpoint.method, urlOf(endpoint), json(body))
        expect([status, error.startsWith(`${field}: `), error]).toEqual([
          400,
          true,
          expect.stringMatching(/: must (be|have) /),
        ])
        expect(error).not.toMatch(/\d+ (characters|bytes)/)
      }
    },
  )

  test('[GATEWAY-2.16] sendFile with a body that is no form: 400', async ({ urlOf, refused }) => {
    const url = urlOf(endpoints.sendFile)
    const rule = 'Content-Type: must be multipart/form-data with a boundary.'
    expect(await refused('POST', url)).toEqual(badRequest(rule))
    expect(await refused('POST', url, json({ file: 'x' }))).toEqual(badRequest(rule))
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    for (const body of ['', '{}', '--c\r\n'])
      expect(await refused('POST', url, { headers, body })).toEqual(badRequest(/^body: must be valid multipart/))
    expect(await refused('POST', url, { body: new FormData() })).toEqual(badRequest(/^(file|body): /))
    const form = new FormData()
    form.set('file', 'a text, and no file')
    form.append('file', 'another')
    expect(await refused('POST', url, { body: form })).toEqual(badRequest('file: must be sent exactly once.'))
  })
})

describe('queries and headers', () => {
  const number = (min: number, max?: number) =>
    `must be a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}.`
  const wrong: [keyof typeof endpoints, string, string][] = [
    ...['0', '101', '-1', '1.5', 'x', '', '1e1'].flatMap((value): [keyof typeof endpoints, string, string][] => [
      ['getUpdates', `limit=${value}`, `limit: ${number(1, 100)}`],
      ['listMessages', `limit=${value}`, `limit: ${number(1, 100)}`],
    ]),
    ...['61', '-1', 'x', '0.5'].map(value => ['getUpdates', `timeout=${value}`, `timeout: ${number(0, 60)}`] as never),
    ...['-1', 'x', '1.5', '99999999999999999'].flatMap((value): [keyof typeof endpoints, string, string][] => [
      ['getUpdates', `offset=${value}`, `offset: ${number(0)}`],
      ['listMessages', `before=${value}`, `before: ${number(0)}`],
    ]),
    ...['', 'everyone', 'ALL'].map(value => ['deleteMessage', `for=${value}`, 'for: must be all or me.'] as never),
    ['listMessages', 'before=', `before: ${number(0)}`],
    ['getUpdates', 'offset=', `offset: ${number(0)}`],
    ['getUpdates', 'timeout=', `timeout: ${number(0, 60)}`],
    ...['0', '1001', 'x', ''].map(value => ['listChats', `limit=${value}`, `limit: ${number(1, 1000)}`] as never),
    ['listChats', 'after=', 'after: must be a chat id.'],
    ...['0', '1001', 'x', ''].map(value => ['listInvites', `limit=${value}`, `limit: ${number(1, 1000)}`] as never),
    ['listInvites', 'after=', 'after: must be the id of an invite.'],
    ['listHooks', 'chat=', 'chat: must be a chat id.'],
    ['listHooks', `chat=${unknownId}&chat=${unknownId}`, 'chat: must be a chat id.'],
  ]
  test.for(wrong)('[GATEWAY-2.16] %s?%s: 400', async ([name, query, sentence], { refused, urlOf }) => {
    const endpoint: Endpoint = endpoints[name]
    expect(await refused(endpoint.method, `${urlOf(endpoint)}?${query}`)).toEqual(badRequest(sentence))
  })

  // A hook accepts a key of any length: it comes from a sender that nobody can correct.
  const sending = all.filter(([, { headers, open }]) => headers && 'idempotency-key' in headers.shape && !open)
  test.for(sending)(
    '[GATEWAY-2.16] %s with an Idempotency-Key that is none: 400',
    async ([name, endpoint], { refused, urlOf }) => {
      const body = json(rightBodies[name as keyof typeof endpoints])
      for (const key of ['', 'x'.repeat(256)])
        expect(
          await refused(endpoint.method, urlOf(endpoint), {
            ...body,
            headers: { 'content-type': 'application/json', 'idempotency-key': key },
          }),
        ).toEqual(badRequest('idempotency-key: must have 1 to 255 bytes.'))
    },
  )
})
