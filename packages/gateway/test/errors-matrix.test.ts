// Every endpoint × every way to be wrong: always the right status, one sentence that names what is wrong, nothing done.
import { contentLimits, gatewayLimits } from '@postern/protocol'
import { apiError, type Endpoint, endpoints } from '@postern/protocol/bot-api'
import { type Person, type TestGateway, World } from '@postern/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, onlineGateway } from './api.ts'

let world: World
let gateway: TestGateway
let alice: Person
let api: Api
let message: string

beforeAll(async () => {
  world = await World.start()
  const online = await onlineGateway(world, { HOOKS_URL: 'https://hooks.example.org' })
  gateway = online.gateway
  api = online.api
  alice = await world.person('alice')
  await alice.openInvite((await api.me()).invite_url)
  await api.next('chat')
  message = String((await api.send(alice.id, { text: 'hello' })).body['id'])
})
afterAll(() => world.stop())

const all = Object.entries(endpoints) as [string, Endpoint][]
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const unknownId = 'b'.repeat(32)

/** The endpoint's address, for a chat and a message that exist. */
const urlOf = ({ path }: Endpoint, ids: { chat?: string; msg?: string } = {}) =>
  path
    .replace('{chat}', ids.chat ?? alice.id)
    .replace('{msg}', ids.msg ?? message)
    .replaceAll(/\{\w+\}/g, 'x')

async function refused(method: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    ...init,
    headers: { authorization: `Bearer ${gateway.token}`, ...(init.headers as Record<string, string>) },
  })
  const { error, code } = apiError.parse(await response.json())
  expect(error, 'one sentence').toMatch(/^[^\n]+\.$/)
  expect(error, 'without a trace of where it happened').not.toMatch(/\.ts\b|node_modules|\bat .*:\d/)
  return { status: response.status, code, error }
}

const json = (value: unknown): RequestInit => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
})

const badRequest = (error: RegExp | string) => ({
  status: 400,
  code: 'bad_request',
  error: typeof error === 'string' ? error : expect.stringMatching(error),
})

describe('the token', () => {
  test.each(all.filter(([, endpoint]) => !endpoint.open))('[R51] %s without it: 401', async (_, endpoint) => {
    for (const authorization of ['', 'Bearer wrong', gateway.token])
      expect(await refused(endpoint.method, urlOf(endpoint), { headers: { authorization } })).toMatchObject({
        status: 401,
        code: 'unauthorized',
      })
  })
})

describe('paths', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const served = new Set(all.map(([, { method, path }]) => `${method} ${path}`))
  const wrong = [...new Set(all.map(([, { path }]) => path))].flatMap(path =>
    methods.filter(method => !served.has(`${method} ${path}`)).map(method => [method, path] as const),
  )
  test.each(wrong)('[R51] %s %s, a wrong method: 404', async (method, path) => {
    const body = method === 'GET' ? {} : json({})
    const url = urlOf({ path } as Endpoint)
    expect(await refused(method, url, body)).toEqual({
      status: 404,
      code: 'not_found',
      // What stands behind /hooks/ may be a secret.
      error: `There is no ${method} ${url.replace(/^\/hooks\/.*/, '/hooks/…')}.`,
    })
  })

  test.each(all.filter(([, { open }]) => !open))(
    '[R51] %s with something behind its path: 404',
    async (_, endpoint) => {
      for (const behind of ['/', '/more'])
        expect(await refused(endpoint.method, `${urlOf(endpoint)}${behind}`)).toMatchObject({ status: 404 })
    },
  )
})

/** A body that is right, for endpoints that need one. */
const rightBodies: Partial<Record<keyof typeof endpoints, object>> = {
  sendMessage: { text: 'x' },
  editMessage: { text: 'x' },
  setReaction: { emoji: '👍' },
  createGroup: { name: 'x', members: [] },
  sendPoll: { question: 'x', options: ['a', 'b'] },
  vote: { options: [] },
}

/** A request that is right. */
function rightRequest(name: string): RequestInit {
  if (name === 'sendFile') {
    const body = new FormData()
    body.set('file', new Blob(['x']), 'x')
    return { body }
  }
  const body = rightBodies[name as keyof typeof endpoints]
  return body ? json(body) : {}
}

describe('ids', () => {
  const withChat = all.filter(([, { params }]) => params && 'chat' in params.shape)
  test.each(withChat)('[R51] %s of a chat that does not exist: 404', async (name, endpoint) => {
    for (const chat of [unknownId, 'c'.repeat(26), 'x', '%20', '..%2f..'])
      expect(await refused(endpoint.method, urlOf(endpoint, { chat }), rightRequest(name))).toMatchObject({
        status: 404,
        code: 'not_found',
      })
  })

  const withMessage = all.filter(([, { params }]) => params && 'msg' in params.shape)
  test.each(withMessage)('[R51] %s of a message that does not exist: 404', async (name, endpoint) => {
    for (const msg of [unknownId, 'x', '%20'])
      expect(await refused(endpoint.method, urlOf(endpoint, { msg }), rightRequest(name))).toMatchObject({
        status: 404,
        code: 'not_found',
        error: expect.stringMatching(/^There is no message /),
      })
  })
})

describe('bodies', () => {
  const withBody = all.filter(([, { body }]) => body)
  test.each(withBody)('[R51] %s with a body that is no object: 400', async (_, endpoint) => {
    const ask = (init: RequestInit) => refused(endpoint.method, urlOf(endpoint), init)
    for (const value of ['text', 5, [], true])
      expect(await ask(json(value))).toEqual(badRequest('body: a JSON object is required.'))
    const headers = { 'content-type': 'application/json' }
    for (const body of ['{', '{"text":"x"', 'text', "{'a':1}", '\xff'])
      expect(await ask({ body, headers })).toEqual(badRequest('body: it is not valid JSON in UTF-8.'))
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x'])
      expect(await ask({ body: '{}', headers: { 'content-type': type } })).toEqual(
        badRequest('Content-Type: application/json is required.'),
      )
    const large = JSON.stringify({ text: 'x'.repeat(gatewayLimits.jsonBodyBytesMax) })
    expect(await ask({ body: large, headers })).toEqual(badRequest(/^body: at most 1048576 bytes are allowed\.$/))
  })

  const needsBody = withBody.filter(([name]) => name !== 'markRead')
  test.each(needsBody)('[R51] %s without a body: 400', async (_, endpoint) => {
    expect(await refused(endpoint.method, urlOf(endpoint))).toEqual(badRequest('body: a JSON object is required.'))
  })

  const text = { min: 'x', max: 'x'.repeat(contentLimits.textCharsMax + 1) }
  const account = 'a'.repeat(32)
  const mention = { user: account, offset: 0, length: 1 }
  const half = '\ud800'
  const button = { text: 'x', data: 'y' }
  const httpsRule = 'an address that starts with https://, of at most 2048 characters, is required.'
  const poll = { question: 'x', options: ['a', 'b'] }
  const timeRule = 'a time in milliseconds, or 0 for never, is required.'
  const fields: [keyof typeof endpoints, object, string][] = [
    ['sendMessage', {}, 'text: 1 to 4096 characters are required.'],
    ...[null, 5, '', text.max, [], {}, true].map(
      value => ['sendMessage', { text: value }, 'text: 1 to 4096 characters are required.'] as never,
    ),
    ['sendMessage', { text: half }, 'text: it holds half of a surrogate pair.'],
    ['sendMessage', { text: 'x', reply_to: 5 }, 'reply_to: a message id is required.'],
    ['sendMessage', { text: 'x', reply_to: 'x' }, 'reply_to: it is no message id.'],
    ['sendMessage', { text: 'x', reply_to: unknownId }, 'reply_to: there is no such message in this chat.'],
    ['sendMessage', { text: 'x', mentions: 'x' }, 'mentions: an array is required.'],
    ['sendMessage', { text: 'x', mentions: times(101, mention) }, 'mentions: at most 100 are allowed.'],
    ['sendMessage', { text: 'x', mentions: [5] }, 'mentions[0]: an object with user, offset and length is required.'],
    ['sendMessage', { text: 'x', mentions: [{ ...mention, user: 5 }] }, 'mentions[0].user: an account id is required.'],
    ['sendMessage', { text: 'x', mentions: [{ ...mention, user: 'bob' }] }, 'mentions[0].user: it is no account id.'],
    [
      'sendMessage',
      { text: 'x', mentions: [{ ...mention, offset: -1 }] },
      'mentions[0].offset: a whole number from 0 up is required.',
    ],
    [
      'sendMessage',
      { text: 'x', mentions: [{ ...mention, length: 0.5 }] },
      'mentions[0].length: a whole number from 1 up is required.',
    ],
    [
      'sendMessage',
      { text: 'x', mentions: [{ ...mention, length: 2 }] },
      'mentions[0]: it reaches beyond the end of the text.',
    ],
    ...(
      [
        ['x', ': an array of rows is required.'],
        [{}, ': an array of rows is required.'],
        [times(4, [button]), ': at most 3 rows are allowed.'],
        [[button], '[0]: an array of buttons is required.'],
        [[[]], '[0]: 1 to 2 buttons are required.'],
        [[times(3, button)], '[0]: 1 to 2 buttons are required.'],
        [[['x']], '[0][0]: an object with text and either data or url is required.'],
        [[[{ data: 'x' }]], '[0][0].text: 1 to 64 characters are required.'],
        [[[{ ...button, text: 'x'.repeat(65) }]], '[0][0].text: 1 to 64 characters are required.'],
        [[[{ text: 'x' }]], '[0][0]: either data or url is required.'],
        [[[{ ...button, url: 'https://x.y' }]], '[0][0]: either data or url is required.'],
        [[[{ text: 'x', data: 5 }]], '[0][0].data: 1 to 64 bytes of UTF-8 are required.'],
        [[[{ text: 'x', data: half }]], '[0][0].data: it holds half of a surrogate pair.'],
        [[[{ text: 'x', url: 'http://x.y' }]], `[0][0].url: ${httpsRule}`],
        [[[{ text: 'x', url: 5 }]], `[0][0].url: ${httpsRule}`],
      ] as [unknown, string][]
    ).flatMap(([buttons, sentence]): [keyof typeof endpoints, object, string][] => [
      ['sendMessage', { text: 'x', buttons }, `buttons${sentence}`],
      ['editMessage', { buttons }, `buttons${sentence}`],
    ]),
    ['editMessage', { text: '' }, 'text: 1 to 4096 characters are allowed.'],
    ...[5, text.max].map(
      value => ['editMessage', { text: value }, 'text: at most 4096 characters are allowed.'] as never,
    ),
    ...[undefined, '', 5, 'x'.repeat(301)].map(
      question => ['sendPoll', { ...poll, question }, 'question: 1 to 300 characters are required.'] as never,
    ),
    ['sendPoll', { ...poll, question: ' ' }, 'question: more than white space is required.'],
    ...[undefined, 'x', {}].map(
      options => ['sendPoll', { ...poll, options }, 'options: an array of texts is required.'] as never,
    ),
    ...[[], ['a'], times(13, 'a')].map(
      options => ['sendPoll', { ...poll, options }, 'options: 2 to 12 are required.'] as never,
    ),
    ...['', 5, null, 'x'.repeat(101)].map(
      option =>
        ['sendPoll', { ...poll, options: ['a', option] }, 'options[1]: 1 to 100 characters are required.'] as never,
    ),
    ['sendPoll', { ...poll, multiple: 'yes' }, 'multiple: true or false is required.'],
    ...['x', -1, 1.5].map(close_ts => ['sendPoll', { ...poll, close_ts }, `close_ts: ${timeRule}`] as never),
    ['sendPoll', { ...poll, close_ts: 1 }, 'close_ts: a time in the future is required.'],
    ['sendPoll', { ...poll, reply_to: unknownId }, 'reply_to: there is no such message in this chat.'],
    ...[undefined, null, 'x', 0].map(
      options => ['vote', { options }, 'options: an array of indexes is required.'] as never,
    ),
    ...[-1, 12, 0.5, '0'].map(
      option => ['vote', { options: [option] }, 'options[0]: a whole number from 0 to 11 is required.'] as never,
    ),
    ['vote', { options: times(13, 0) }, 'options: at most 12 are allowed.'],
    ['vote', { options: [0] }, 'The message is not a poll.'],
    ...[undefined, null, 5, 'x'.repeat(201)].map(
      value => ['answerPress', { text: value }, 'text: at most 200 characters are allowed.'] as never,
    ),
    ['editMessage', { mentions: [mention] }, 'mentions[0]: it reaches beyond the end of the text.'],
    ...[undefined, null, '', 'a', '5', '👍👍', '👍 ', 5, half].map(
      emoji => ['setReaction', { emoji }, 'emoji: one emoji is required.'] as never,
    ),
    ['markRead', { up_to: 5 }, 'up_to: a message id is required.'],
    ['markRead', { up_to: 'x' }, 'up_to: it is no message id.'],
    ...['', 5, 'x'.repeat(65)].map(name => ['changeMe', { name }, 'name: 1 to 64 characters are required.'] as never),
    ['changeMe', { name: ' \t' }, 'name: more than white space is required.'],
    ['changeMe', { name: 'fine', about: 'x'.repeat(513) }, 'about: at most 512 characters are allowed.'],
    ['changeMe', { about: 5 }, 'about: at most 512 characters are allowed.'],
    ...[undefined, null, {}, 'x'].map(
      commands => ['setCommands', { commands }, 'commands: an array is required.'] as never,
    ),
    ['setCommands', { commands: times(101, { name: 'a' }) }, 'commands: at most 100 are allowed.'],
    ['setCommands', { commands: ['a'] }, 'commands[0]: an object with name and description is required.'],
    ...[undefined, '', 'A', 'a-b', 'a'.repeat(33), 'ä', '/a', 5].map(
      name =>
        [
          'setCommands',
          { commands: [{ name, description: 'x' }] },
          'commands[0].name: 1 to 32 of the signs a to z, 0 to 9 and _ are required.',
        ] as never,
    ),
    [
      'setCommands',
      { commands: [{ name: 'a', description: 'x'.repeat(257) }] },
      'commands[0].description: at most 256 characters are allowed.',
    ],
    [
      'setCommands',
      { commands: [{ name: 'a', args: 'x'.repeat(33) }] },
      'commands[0].args: at most 32 characters are allowed.',
    ],
    [
      'setCommands',
      { commands: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
      'commands[2].name: it stands there twice.',
    ],
    ...[undefined, '', 5, 'x'.repeat(129)].map(
      name => ['createGroup', { name, members: [] }, 'name: 1 to 128 characters are required.'] as never,
    ),
    ...[undefined, null, 'x', {}].map(
      members => ['createGroup', { name: 'x', members }, 'members: an array of account ids is required.'] as never,
    ),
    ['createGroup', { name: 'x', members: [5] }, 'members[0]: an account id is required.'],
    ['createGroup', { name: 'x', members: [account, 'bob'] }, 'members[1]: it is no account id.'],
    ['createGroup', { name: 'x', members: times(1000, account) }, 'members: at most 999 are allowed.'],
  ]
  const named = fields.map(
    ([name, body, sentence]) => [name, JSON.stringify(body).slice(0, 50), sentence, body] as const,
  )
  test.each(named)('[R51] %s with %s: %s', async (name, _, sentence, body) => {
    const endpoint: Endpoint = endpoints[name]
    const before = await state()
    expect(await refused(endpoint.method, urlOf(endpoint), json(body))).toEqual(badRequest(sentence))
    expect(await state(), 'nothing is half done').toEqual(before)
  })

  test('[R51] sendFile with a body that is no form: 400', async () => {
    const url = urlOf(endpoints.sendFile)
    const rule = 'Content-Type: multipart/form-data with a boundary is required.'
    expect(await refused('POST', url)).toEqual(badRequest(rule))
    expect(await refused('POST', url, json({ file: 'x' }))).toEqual(badRequest(rule))
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    for (const body of ['', '{}', '--c\r\n'])
      expect(await refused('POST', url, { headers, body })).toEqual(badRequest(/^body: it is no valid multipart/))
    expect(await refused('POST', url, { body: new FormData() })).toEqual(badRequest(/^(file|body): /))
    const form = new FormData()
    form.set('file', 'a text, and no file')
    form.append('file', 'another')
    expect(await refused('POST', url, { body: form })).toEqual(badRequest('file: exactly one is allowed.'))
  })

  const state = async () => [
    await api.me(),
    await api.ok('GET', '/v1/chats'),
    await api.ok<{ status?: string }[]>('GET', `/v1/chats/${alice.id}/messages`).then(list => list.length),
  ]
})

describe('queries and headers', () => {
  const number = (min: number, max?: number) =>
    `a whole number from ${min}${max === undefined ? ' up' : ` to ${max}`} is required.`
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
    ...['', 'everyone', 'ALL'].map(value => ['deleteMessage', `for=${value}`, 'for: all or me is required.'] as never),
  ]
  test.each(wrong)('[R51] %s?%s: 400', async (name, query, sentence) => {
    const endpoint: Endpoint = endpoints[name]
    expect(await refused(endpoint.method, `${urlOf(endpoint)}?${query}`)).toEqual(badRequest(sentence))
  })

  // Of a hook any key is taken: it comes from a sender that nobody can correct.
  const sending = all.filter(([, { headers, open }]) => headers && 'idempotency-key' in headers.shape && !open)
  test.each(sending)('[R51] %s with an Idempotency-Key that is none: 400', async (name, endpoint) => {
    const body = json(rightBodies[name as keyof typeof endpoints])
    for (const key of ['', 'x'.repeat(256)])
      expect(
        await refused(endpoint.method, urlOf(endpoint), {
          ...body,
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
        }),
      ).toEqual(badRequest('idempotency-key: 1 to 255 bytes are required.'))
  })
})
