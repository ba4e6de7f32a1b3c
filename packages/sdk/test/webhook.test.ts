// Updates by webhook: from a real gateway, and from senders that have no right to send.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect } from 'vitest'
import { Bot, type Update } from '../src/index.ts'
import { toNodeHandler } from '../src/node.ts'
import { test as base, chatWith } from './fixtures.ts'

const SECRET = 'a-secret-of-the-webhook'

const test = base.extend('server', async ({ world }, { onCleanup }) => {
  expect(world).toBeDefined()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onCleanup(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/updates` }
})

test.for([SECRET, `whsec_${Buffer.from(SECRET).toString('base64')}`])(
  '[SDK-4.1] updates of a gateway reach the handlers, with the secret %s',
  async (secret, { world, alice, server: { server, url } }) => {
    const gateway = await world.gateway({ WEBHOOK_URL: url, WEBHOOK_SECRET: secret })
    const bot = new Bot({ url: gateway.url, token: gateway.token })
    bot.on('message:text', ctx => ctx.reply(ctx.text))
    server.on('request', toNodeHandler(bot.webhook({ secret })))
    await alice.say(await chatWith(gateway, alice), 'größe 🤖')
    await alice.next('message', ({ message }) => message.from.id === gateway.client.account)
  },
)

describe('requests', () => {
  const nowMs = Date.UTC(2030, 0, 1)
  const clock = { nowMs: () => nowMs, setTimer: () => ({ cancel: () => undefined }) }
  const update = (id: number) => JSON.stringify({ id, type: 'chat', chat_id: 'x', chat: {} })

  type Asked = { body: string; secret?: string; timestampSec?: number; id?: string }
  function signed({ body, secret = SECRET, timestampSec = nowMs / 1000, id = 'bot_1' }: Asked): Request {
    const hmac = (text: string) => createHmac('sha256', secret).update(text)
    const headers = {
      'x-service-signature': `sha256=${hmac(body).digest('hex')}`,
      'webhook-id': id,
      'webhook-timestamp': String(timestampSec),
      'webhook-signature': `v1,${hmac(`${id}.${timestampSec}.${body}`).digest('base64')}`,
    }
    return new Request('http://bot.example/', { method: 'POST', body, headers })
  }

  function botWith(handler: (update: Update) => unknown) {
    const me = { id: 'me', name: 'bot', invite_url: '', about: '', commands: [] }
    const bot = new Bot({ token: 't', clock, attempts: 1, log: () => undefined, fetch: async () => Response.json(me) })
    bot.use(ctx => handler(ctx.update))
    return bot
  }

  function changed(request: Request, headers: Record<string, string | null>, body?: string): Request {
    const all = new Headers(request.headers)
    for (const [name, value] of Object.entries(headers))
      if (value === null) all.delete(name)
      else all.set(name, value)
    return new Request(request.url, { method: 'POST', headers: all, body: body ?? update(1) })
  }

  test.for<{ title: string; request: () => Request }>([
    { title: 'under another secret', request: () => signed({ body: update(1), secret: 'other' }) },
    { title: 'with another body', request: () => changed(signed({ body: update(1) }), {}, update(2)) },
    { title: 'with another id', request: () => changed(signed({ body: update(1) }), { 'webhook-id': 'bot_2' }) },
    {
      title: 'with another time',
      request: () => changed(signed({ body: update(1) }), { 'webhook-timestamp': String(nowMs / 1000 - 1) }),
    },
    {
      title: 'without a signature',
      request: () => changed(signed({ body: update(1) }), { 'webhook-signature': null }),
    },
    {
      title: 'with a signature that is none',
      request: () => changed(signed({ body: update(1) }), { 'webhook-signature': 'v1,%%% v2,AAAA v1,' }),
    },
    { title: 'that is too old', request: () => signed({ body: update(1), timestampSec: nowMs / 1000 - 301 }) },
    { title: 'of the future', request: () => signed({ body: update(1), timestampSec: nowMs / 1000 + 301 }) },
    { title: 'without a time', request: () => signed({ body: update(1), timestampSec: Number.NaN }) },
  ])('[SDK-4.1] a request $title is refused', async ({ request }) => {
    const handled: Update[] = []
    const answer = await botWith(one => handled.push(one)).webhook({ secret: SECRET })(request())
    expect([answer.status, handled]).toEqual([401, []])
  })

  test('[SDK-4.1] of several signatures one must be right; other methods and huge bodies are refused', async () => {
    const webhook = botWith(() => undefined).webhook({ secret: SECRET })
    const request = signed({ body: update(1) })
    const both = `v1,AAAA ${request.headers.get('webhook-signature')}`
    expect((await webhook(changed(request, { 'webhook-signature': both }))).status).toBe(200)
    expect((await webhook(new Request('http://bot.example/'))).status).toBe(405)
    expect((await webhook(signed({ body: 'x'.repeat(4_000_001) }))).status).toBe(413)
    expect(() => botWith(() => undefined).webhook({ secret: '' })).toThrow('WEBHOOK_SECRET')
  })

  test('[SDK-4.2] an update that comes again, at the same time or later, is handled once', async () => {
    const held = Promise.withResolvers<void>()
    const handled: number[] = []
    const webhook = botWith(async ({ id }) => {
      handled.push(id)
      await held.promise
    }).webhook({ secret: SECRET })
    const first = webhook(signed({ body: update(1) }))
    const second = webhook(signed({ body: update(1), timestampSec: nowMs / 1000 + 1 }))
    held.resolve()
    const third = webhook(signed({ body: update(1) }))
    expect((await Promise.all([first, second, third])).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await webhook(signed({ body: update(2) }))).status).toBe(200)
    expect(handled).toEqual([1, 2])
  })

  test('[SDK-4.2] after retry the gateway is asked to deliver it again, and it is handled again', async () => {
    const runs: number[] = []
    const bot = botWith(({ id }) => {
      runs.push(id)
      throw new Error('no')
    })
    bot.catch(() => (runs.length < 2 ? 'retry' : 'skip'))
    const webhook = bot.webhook({ secret: SECRET })
    const statuses = [await webhook(signed({ body: update(1) })), await webhook(signed({ body: update(1) }))]
    expect([statuses.map(({ status }) => status), runs]).toEqual([
      [503, 200],
      [1, 1],
    ])
  })
})
