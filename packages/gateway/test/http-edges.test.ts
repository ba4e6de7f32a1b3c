// Requests that are barely HTTP, or none at all: every answer is a status with {error, code}, and none is mixed into another.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { accountIdOf, apiError, chatIdOf, type Endpoint, endpoints, messageIdOf } from '@postern/bot-api'
import { gatewayLimits, httpLimits, systemClock } from '@postern/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { NegotiatedAnswer, StreamedAnswer } from '../src/http/answers.ts'
import { GracefulClose } from '../src/http/graceful-close.ts'
import type { Handlers } from '../src/http/handler.ts'
import { addRoutes } from '../src/http/routes.ts'
import { createServer } from '../src/http/server.ts'

const token = 'right-token'
const nothing = () => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: vi.fn<(fields: object) => void>() }
const chat = 'c'.repeat(32)
const handlers = {
  ...(Object.fromEntries(Object.keys(endpoints).map(name => [name, () => ({})])) as unknown as Handlers),
  sendMessage: vi.fn<Handlers['sendMessage']>(() => ({
    id: messageIdOf('m'.repeat(32)),
    chat_id: chatIdOf('c'.repeat(32)),
    from: { id: accountIdOf('a'.repeat(32)), name: 'A' },
    ts: 1,
  })),
  acceptChat: vi.fn<Handlers['acceptChat']>(() => ({}) as never),
  getUpdates: vi.fn<Handlers['getUpdates']>(() => []),
  getFile: vi.fn<Handlers['getFile']>(() => ({})),
} satisfies Handlers

const stopping = new GracefulClose()
const server = createServer({ botToken: token, log, clock: systemClock, stopping })
let port: number
beforeAll(async () => {
  addRoutes(server, handlers, { stopping, clock: systemClock })
  await server.listen({ host: '127.0.0.1', port: 0 })
  port = (server.server.address() as AddressInfo).port
})
afterAll(async () => {
  await server.close()
  expect(log.error, 'nobody can fill the log').not.toHaveBeenCalled()
})
beforeEach(() => {
  for (const handler of [handlers.sendMessage, handlers.acceptChat, handlers.getUpdates, handlers.getFile])
    handler.mockClear()
})

type Answer = { status: number; headers: string; text: string }

/** All bytes that come back until the connection ends. */
async function send(...pieces: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const answer: Buffer[] = []
  socket.on('data', bytes => void answer.push(bytes))
  for (const piece of pieces) socket.write(piece, 'latin1')
  await once(socket, 'close')
  return Buffer.concat(answer).toString()
}

/** The answers in these bytes, by their Content-Length. */
function answersIn(bytes: string): Answer[] {
  const answers: Answer[] = []
  for (let rest = bytes; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    const headers = rest.slice(0, end)
    const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1])
    expect(headers, 'an answer with a length').toMatch(/^HTTP\/1\.1 \d{3} .*\r\n[^]*content-length: \d+/i)
    answers.push({ status: Number(headers.slice(9, 12)), headers, text: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

const refusal = ({ status, headers, text }: Answer) => {
  expect(headers).toMatch(/^content-type: application\/json; charset=utf-8$/im)
  return { status, ...apiError.parse(JSON.parse(text)) }
}

const host = 'Host: postern\r\n'
const close = 'Connection: close\r\n'
const authorized = `${host}Authorization: Bearer ${token}\r\n`
const json = 'Content-Type: application/json\r\n'
const bad = (error: string) => ({ status: 400, code: 'bad_request', error })
const post = (headers: string, body: string) =>
  `POST /v1/chats/${chat}/messages HTTP/1.1\r\n${authorized}${json}${headers}\r\n${body}`

/** The next answer with updates waits until the test releases it. */
function updatesHeldBack() {
  const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  handlers.getUpdates.mockImplementationOnce(async () => {
    asked.resolve()
    await go.promise
    return []
  })
  return { asked, go }
}

const noHttp = bad('request: must be valid HTTP.')
const tooLarge = bad('headers: must have at most 16384 bytes, address and headers together.')
const malformed: [string, string, object][] = [
  ['no Host', `GET /healthz HTTP/1.1\r\n${close}\r\n`, bad('Host: is required.')],
  [
    'no Host, with a token',
    `GET /v1/me HTTP/1.1\r\n${close}Authorization: Bearer ${token}\r\n\r\n`,
    bad('Host: is required.'),
  ],
  ['a header that is too large', `GET /healthz HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`, tooLarge],
  ['many headers', `GET /healthz HTTP/1.1\r\n${host}${'X: 1234567890\r\n'.repeat(2000)}\r\n`, tooLarge],
  ['an address that is too large', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, tooLarge],
  [
    'an unknown method',
    `BREW /v1/me HTTP/1.1\r\n${host}\r\n`,
    { status: 404, code: 'not_found', error: 'There is no method BREW.' },
  ],
  [
    'a method in small letters',
    `get /v1/me HTTP/1.1\r\n${host}\r\n`,
    { status: 404, code: 'not_found', error: 'There is no method get.' },
  ],
  [
    'CONNECT',
    `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n`,
    { status: 404, code: 'not_found', error: 'There is no method CONNECT.' },
  ],
  ['words', 'HELLO\r\n\r\n', noHttp],
  ['no version', `GET /healthz\r\n${host}\r\n`, noHttp],
  ['another protocol', `GET /healthz SMTP/1.1\r\n${host}\r\n`, noHttp],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', noHttp],
  ['a handshake of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', noHttp],
  ['a header without a colon', `GET /healthz HTTP/1.1\r\n${host}X\r\n\r\n`, noHttp],
  ['a length that is no number', post('Content-Length: x\r\n', '{}'), bad('Content-Length: must be a whole number.')],
  [
    'two lengths',
    post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
    bad('Content-Length: must not be repeated.'),
  ],
  [
    'a length and chunks',
    post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '{}'),
    bad('Content-Length: must not be sent together with Transfer-Encoding.'),
  ],
  ['another transfer coding', post('Transfer-Encoding: gzip\r\n', '{}'), bad('Transfer-Encoding: must be chunked.')],
  [
    'a chunk without a size',
    post('Transfer-Encoding: chunked\r\n', 'x\r\n{}\r\n0\r\n\r\n'),
    bad('body: must have valid chunks.'),
  ],
  [
    'a chunk that is longer than its size',
    post('Transfer-Encoding: chunked\r\n', '1\r\n{}\r\n0\r\n\r\n'),
    bad('body: must have valid chunks.'),
  ],
]

describe('what is hardly HTTP', () => {
  test.each(malformed)('[GATEWAY-2.4] %s', async (_, bytes, expected) => {
    const [answer, ...more] = answersIn(await send(bytes))
    expect(more).toEqual([])
    expect(answer && refusal(answer)).toEqual(expected)
    expect(handlers.sendMessage).not.toHaveBeenCalled()
  })

  test('[GATEWAY-2.4] a body that ends early: 400', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.end(post('Content-Length: 100\r\n', '{"text":'))
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    const [answer] = answersIn(bytes.toString())
    expect(answer && refusal(answer)).toEqual(bad('body: ended too early.'))
    expect(handlers.sendMessage).not.toHaveBeenCalled()
  })

  test('[GATEWAY-2.4] what stands behind a body is not taken for a part of it: the request is answered, then the rest', async () => {
    const answers = answersIn(await send(post('Content-Length: 12\r\n', '{"text":"x"} and more\r\n\r\n')))
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    expect(handlers.sendMessage).toHaveBeenCalledTimes(1)
  })

  test('[GATEWAY-2.4] a request that is not answered yet gets its own answer before the refusal of what follows it', async () => {
    const { asked, go } = updatesHeldBack()
    const malformedSeen = once(server.server, 'clientError')
    const answered = send(`GET /v1/updates HTTP/1.1\r\n${authorized}\r\n`, 'HELLO\r\n\r\n')
    await asked.promise
    await malformedSeen
    go.resolve()
    const answers = answersIn(await answered)
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, '[]'],
      [400, expect.stringContaining('must be valid HTTP')],
    ])
  })

  test('[GATEWAY-2.4] no refusal stands in the middle of a file', async () => {
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const headers = { 'content-type': 'text/plain', 'content-length': '6' }
    async function* read() {
      yield Buffer.from('abc')
      begun.resolve()
      await go.promise
      yield Buffer.from('def')
    }
    handlers.getFile.mockReturnValueOnce(new NegotiatedAnswer(() => new StreamedAnswer({ status: 200, headers, read })))
    const malformedSeen = once(server.server, 'clientError')
    const answered = send(`GET /v1/chats/${chat}/messages/${chat}/file HTTP/1.1\r\n${authorized}\r\n`, 'HELLO\r\n\r\n')
    await begun.promise
    await malformedSeen
    go.resolve()
    const [file, ...rest] = answersIn(await answered)
    expect([file?.status, file?.text]).toEqual([200, 'abcdef'])
    expect(rest.map(({ status }) => status)).toEqual([400])
  })

  test.each([
    ['a body', post('Transfer-Encoding: chunked\r\n', 'x\r\n{}\r\n0\r\n\r\n'), 400],
    ['CONNECT', `CONNECT example.org:443 HTTP/1.1\r\n${host}\r\n`, 404],
  ])(
    '[GATEWAY-2.4] nor does the refusal of %s come before the answer to the request ahead of it',
    async (_, bytes, status) => {
      const { asked, go } = updatesHeldBack()
      const refused = Promise.race([once(server.server, 'clientError'), once(server.server, 'connect')])
      const answered = send(`GET /v1/updates HTTP/1.1\r\n${authorized}\r\n`, bytes)
      await asked.promise
      await refused
      go.resolve()
      const answers = answersIn(await answered)
      expect(answers.map(answer => answer.status)).toEqual([200, status])
      expect(answers[0]?.text).toBe('[]')
      expect(handlers.sendMessage).not.toHaveBeenCalled()
    },
  )

  test('[GATEWAY-2.4] nor does a request without a token, of which the body is broken, cut off the answer ahead of it', async () => {
    const { asked, go } = updatesHeldBack()
    const refused = once(server.server, 'clientError')
    const stranger = `POST /v1/chats/${chat}/messages HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\r\n{`
    const answered = send(`GET /v1/updates HTTP/1.1\r\n${authorized}\r\n`, stranger, '\r\nx\r\n\r\n')
    await asked.promise
    await refused
    go.resolve()
    const answers = answersIn(await answered)
    // It was not begun yet: only its broken body is known.
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
  })
})

describe('requests that do not wait for their answers', () => {
  const poll = `GET /v1/updates HTTP/1.1\r\n${authorized}\r\n`

  test('[GATEWAY-2.25] the next one begins when the answer before it has gone out', async () => {
    const held = [updatesHeldBack(), updatesHeldBack(), updatesHeldBack()]
    const answered = send(poll.repeat(3), `GET /healthz HTTP/1.1\r\n${host}${close}\r\n`)
    for (const [at, { asked, go }] of held.entries()) {
      await asked.promise
      expect(handlers.getUpdates).toHaveBeenCalledTimes(at + 1)
      go.resolve()
    }
    expect(answersIn(await answered).map(({ text }) => text)).toEqual(['[]', '[]', '[]', '{}'])
  })

  test('[GATEWAY-2.25] past so many that wait the connection is cut, and none of them was begun', async () => {
    const { asked, go } = updatesHeldBack()
    const answered = send(poll.repeat(1 + httpLimits.pipelinedMax + 1))
    await asked.promise
    expect(await answered).toBe('')
    go.resolve()
    expect(handlers.getUpdates).toHaveBeenCalledTimes(1)
    const served = answersIn(
      await send(poll.repeat(httpLimits.pipelinedMax) + poll.replace('\r\n\r\n', `\r\n${close}\r\n`)),
    )
    expect(served).toHaveLength(1 + httpLimits.pipelinedMax)
  })
})

describe('what is HTTP, and seldom seen', () => {
  test.each([
    ['HTTP/1.0, without Host', 'GET /healthz HTTP/1.0\r\n\r\n'],
    ['a whole address', `GET http://postern:8080/healthz HTTP/1.1\r\n${host}${close}\r\n`],
    ['an offer to upgrade', `GET /healthz HTTP/1.1\r\n${host}Connection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n`],
    ['an expectation that nobody knows', `GET /healthz HTTP/1.1\r\n${host}${close}Expect: x\r\n\r\n`],
  ])('[GATEWAY-2.4] %s: 200', async (_, bytes) => {
    expect(answersIn(await send(bytes))).toMatchObject([{ status: 200, text: '{}' }])
  })

  test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])('[GATEWAY-2.4] %s: 404', async method => {
    const [answer] = answersIn(await send(`${method} /v1/me HTTP/1.1\r\n${authorized}${close}\r\n`))
    expect(answer && refusal(answer)).toMatchObject({ status: 404, error: expect.stringContaining(method) })
  })
})

const all = Object.entries(endpoints) as [string, Endpoint][]
const urlOf = ({ path }: Endpoint) => path.replaceAll(/\{\w+\}/g, chat)

async function ask(endpoint: Endpoint, init: RequestInit = {}) {
  return await fetch(`http://127.0.0.1:${port}${urlOf(endpoint)}`, {
    method: endpoint.method,
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
  })
}

describe('bodies that nobody needs', () => {
  const types = ['application/x-www-form-urlencoded', 'application/json', 'text/plain', 'x', '']
  const typed = (type: string, body: string) => ({ body: Buffer.from(body), headers: { 'content-type': type } })
  const needsNone = all.filter(([, { method, body, upload, form }]) => method !== 'GET' && !body && !upload && !form)

  test.each([...needsNone, ['markRead', endpoints.markRead] as [string, Endpoint]])(
    '[GATEWAY-2.5] %s with an empty body of any type',
    async (_, endpoint) => {
      for (const type of types) expect([type, (await ask(endpoint, typed(type, ''))).status]).toEqual([type, 200])
    },
  )

  test.each(needsNone)('[GATEWAY-2.5] %s with a body that it does not take', async (_, endpoint) => {
    for (const body of ['a=b', '{}', '{', 'null', '[]'])
      for (const type of types)
        expect([type, body, (await ask(endpoint, typed(type, body))).status]).toEqual([type, body, 200])
    const large = await ask(endpoint, typed('text/plain', 'x'.repeat(gatewayLimits.jsonBodyBytesMax + 1)))
    expect([large.status, await large.json()]).toEqual([
      400,
      { code: 'bad_request', error: 'body: must have at most 1048576 bytes.' },
    ])
  })

  test('[GATEWAY-2.5] where a body is needed an empty one is none, and another type is named', async () => {
    for (const type of types) {
      const empty = await ask(endpoints.sendMessage, typed(type, ''))
      expect([empty.status, (await empty.json()).error]).toEqual([400, 'body: must be a JSON object.'])
    }
    for (const endpoint of [endpoints.sendMessage, endpoints.markRead]) {
      const form = await ask(endpoint, typed('application/x-www-form-urlencoded', 'text=x'))
      expect([form.status, (await form.json()).error]).toEqual([400, 'Content-Type: must be application/json.'])
    }
  })
})

describe('HEAD', () => {
  test.each(all.filter(([, { method }]) => method === 'GET'))(
    '[GATEWAY-2.6] %s answers HEAD like GET, without a body',
    async (name, endpoint) => {
      const file = new StreamedAnswer({
        status: 200,
        headers: { 'content-type': 'text/plain', 'content-length': '3' },
        async *read() {
          yield Buffer.from('abc')
        },
      })
      if (name === 'getFile') handlers.getFile.mockImplementation(() => new NegotiatedAnswer(() => file))
      const [get, head] = [await ask(endpoint), await ask(endpoint, { method: 'HEAD' })]
      const shown = ({ status, headers }: Response) => [
        status,
        ...['content-type', 'content-length'].map(each => headers.get(each)),
      ]
      expect(shown(head)).toEqual(shown(get))
      expect(await head.text()).toBe('')
      await get.arrayBuffer()
    },
  )

  test('[GATEWAY-2.6] what is wrong is told to HEAD by the status, and only where there is a GET', async () => {
    const without = await ask(endpoints.getMe, { method: 'HEAD', headers: { authorization: '' } })
    expect(without.status).toBe(401)
    expect((await ask(endpoints.sendMessage, { method: 'HEAD' })).status).toBe(200)
    expect((await ask(endpoints.acceptChat, { method: 'HEAD' })).status).toBe(404)
  })
})
