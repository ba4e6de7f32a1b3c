// Delivery by webhook: order, proof, retries and restarts.
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { update } from '@postern/bot-api'
import { CodedError, gatewayLimits } from '@postern/protocol'
import { ManualClock, passWhenAwaited } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { OperatorState } from '../src/queue/operator-state.ts'
import { Attempts } from '../src/webhook/attempts.ts'
import { Api, onlineGateway, SOON } from './api.ts'
import { SECRET, sayAll, status, statusOnce, webhookTo } from './delivering.ts'
import { test } from './fixtures.ts'
import { answerWith } from './receiver.ts'

describe('delivery', () => {
  test('[GATEWAY-6.1] one update a request, in order, over one connection, and nothing is left to poll', async ({
    receiver,
    delivering,
    arrived,
  }) => {
    const { api, say } = await delivering()
    const texts = Array.from({ length: 30 }, (_, at) => `text ${at}`)
    await say(...texts)
    await arrived(texts)
    for (const { body, headers } of receiver.requests) {
      expect(update.parse(JSON.parse(body)).type).toBe('message')
      expect(headers['content-type']).toBe('application/json')
    }
    expect(receiver.ids).toEqual([...new Set(receiver.ids)].toSorted((a, b) => a - b))
    expect(receiver.connections).toBe(1)
    expect(await statusOnce(api, ({ pending }) => pending === 0)).toMatchObject({ enabled: true })
    for (const query of ['', '?limit=0', '?offset=x&timeout=61'])
      expect(await api.call('GET', `/v1/updates${query}`)).toEqual({
        status: 409,
        body: { code: 'webhook', error: expect.stringMatching(/WEBHOOK_URL/) },
      })
  })

  test('[GATEWAY-6.1] the signatures hold for the exact body', async ({ receiver, delivering, arrived }) => {
    const { gateway, say } = await delivering()
    await say('größe 🤖')
    await arrived(['größe 🤖'])
    const { headers, body, update: received } = receiver.requests[0] ?? expect.fail()
    const sign = (text: string) => createHmac('sha256', SECRET).update(text)
    expect(headers['x-service-signature']).toBe(`sha256=${sign(body).digest('hex')}`)
    const [id, timestamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])]
    expect(id).toBe(`${gateway.client.account}_${received.id}`)
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(600)
    expect(headers['webhook-signature']).toBe(`v1,${sign(`${id}.${timestamp}.${body}`).digest('base64')}`)
  })

  test('[GATEWAY-6.1] a secret in the form of Standard Webhooks is its key there, and taken as it is in our header', async ({
    world,
    alice,
    receiver,
    arrived,
  }) => {
    const secret = `whsec_${Buffer.from('0123456789abcdef').toString('base64')}`
    const { api } = await onlineGateway(world, { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: secret })
    await alice.openInvite((await api.me()).invite_url)
    await arrived(['chat'])
    const { headers, body } = receiver.requests[0] ?? expect.fail()
    expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
    const standard = createHmac('sha256', '0123456789abcdef').update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${standard}`)
  })

  test('[GATEWAY-6.1] while the receiver holds a request, later updates wait and everything else goes on', async ({
    alice,
    receiver,
    delivering,
    arrived,
  }) => {
    const { api, say } = await delivering()
    const held = Promise.withResolvers<ServerResponse>()
    receiver.answer = response => held.resolve(response)
    await say('one', 'two')
    const response = await held.promise
    expect((await api.send(alice.id, { text: 'meanwhile' })).status).toBe(200)
    expect(receiver.texts).toEqual(['one'])
    receiver.answer = answerWith(204)
    response.writeHead(200).end()
    await arrived(['one', 'two'])
  })

  test('[GATEWAY-6.1] a kept connection that the receiver has closed costs no retry', async ({
    receiver,
    delivering,
  }) => {
    const { say, status } = await delivering(new ManualClock(Date.now()))
    for (const text of ['one', 'two', 'three']) {
      receiver.closeConnections()
      await say(text)
      await expect.poll(() => receiver.texts.at(-1), SOON).toBe(text)
    }
    expect((await status()).last_error).toBeUndefined()
  })
})

describe('retries', () => {
  test('[GATEWAY-6.2] after 1, 2, 4 … 300 seconds, for an hour, the later ones wait, and then all come in order', async ({
    clock,
    receiver,
    delivering,
  }) => {
    const { api, say, status } = await delivering(clock)
    receiver.answer = answerWith(500)
    await say('one', 'two', 'three')
    const startMs = clock.nowMs()
    const pausesSec: number[] = []
    while (clock.nowMs() - startMs < 3_600_000) {
      const attempt = receiver.requests.length
      await expect.poll(() => receiver.requests.length, SOON).toBeGreaterThanOrEqual(pausesSec.length + 1)
      const { next_attempt_ts: next = 0 } = await statusOnce(api, now => (now.next_attempt_ts ?? 0) > clock.nowMs())
      pausesSec.push((next - clock.nowMs()) / 1000)
      clock.advance(next - clock.nowMs() - 1)
      expect(receiver.requests.length).toBeLessThanOrEqual(attempt + 1)
      clock.advance(1)
    }
    expect(pausesSec.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    expect(new Set(receiver.texts)).toEqual(new Set(['one']))
    expect((await status()).last_error).toBe('The receiver answered 500.')
    // A success ends the series: the next failure waits one second again.
    receiver.answer = (response, received) =>
      answerWith(received.body.includes('three') ? 404 : 200)(response, received)
    clock.advance(gatewayLimits.webhookRetryMaxMs)
    const failed = await statusOnce(api, now => now.last_error === 'The receiver answered 404.')
    expect((failed.next_attempt_ts ?? 0) - clock.nowMs()).toBe(1000)
    receiver.answer = answerWith(200)
    clock.advance(1000)
    expect((await statusOnce(api, ({ pending }) => pending === 0)).next_attempt_ts).toBeUndefined()
    expect(receiver.texts.slice(-4)).toEqual(['one', 'two', 'three', 'three'])
  })

  test('[GATEWAY-6.2] the same update comes again under its id and its webhook-id', async ({
    clock,
    receiver,
    delivering,
    arrived,
  }) => {
    const { say } = await delivering(clock)
    receiver.answer = answerWith(503)
    await say('again')
    await expect.poll(() => receiver.requests.length, SOON).toBe(1)
    receiver.answer = answerWith(201)
    await passWhenAwaited(clock, gatewayLimits.webhookRetryFirstMs, arrived(['again', 'again']))
    const [first, second] = receiver.requests
    expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']])
  })

  test('[GATEWAY-6.2] a relay that tells, while a failure is noted, how long the gateway was off shortens no delay', async ({
    clock,
    delivering,
  }) => {
    const { gateway } = await delivering(clock)
    const state = new OperatorState(gateway.client.journal)
    let offMs = 0
    const elapsed = { nowMs: () => clock.nowMs() + offMs }
    const attempts = new Attempts({ url: 'https://receiver.example', state, clock, elapsed })
    const noted = attempts.failed('The receiver cut the connection.')
    offMs = 3_600_000
    await noted
    expect(attempts.dueInMs()).toBe(1000)
    clock.advance(1000)
    expect(attempts.dueInMs()).toBe(0)
  })
})

describe('restarts', () => {
  test('[GATEWAY-6.3] the queue and the place in the backoff survive', async ({
    clock,
    world,
    receiver,
    delivering,
  }) => {
    const first = await delivering(clock)
    receiver.answer = answerWith(500)
    await first.say('one', 'two')
    for (let attempts = 1; attempts < 4; attempts++) {
      await expect.poll(() => receiver.requests.length, SOON).toBe(attempts)
      const { next_attempt_ts: next = 0 } = await statusOnce(
        first.api,
        now => (now.next_attempt_ts ?? 0) > clock.nowMs(),
      )
      clock.advance(next - clock.nowMs())
    }
    await expect.poll(() => receiver.requests.length, SOON).toBe(4)
    const before = await statusOnce(first.api, now => (now.next_attempt_ts ?? 0) > clock.nowMs())
    await world.closeGateway(first.gateway)
    const gateway = await world.gateway(webhookTo(receiver.url), { clock })
    const api = new Api(gateway)
    expect(await status(api)).toEqual(before)
    clock.advance(7999)
    await api.get('/healthz')
    expect(receiver.requests.length).toBe(4)
    clock.advance(1)
    await expect.poll(() => receiver.requests.length, SOON).toBe(5)
    const after = await statusOnce(api, now => (now.next_attempt_ts ?? 0) > clock.nowMs())
    expect((after.next_attempt_ts ?? 0) - clock.nowMs()).toBe(16_000)
  })

  test('[GATEWAY-6.3] a clock that is set back makes nobody wait longer', async ({
    world,
    receiver,
    delivering,
    arrived,
  }) => {
    const clock = new ManualClock(Date.now() + 86_400_000)
    const { gateway, api, say } = await delivering(clock)
    receiver.answer = answerWith(500)
    await say('one')
    await statusOnce(api, now => now.next_attempt_ts !== undefined)
    await world.closeGateway(gateway)
    receiver.answer = answerWith(200)
    const today = new ManualClock(Date.now())
    const next = await world.gateway(webhookTo(receiver.url), { clock: today })
    await passWhenAwaited(today, gatewayLimits.webhookRetryFirstMs, arrived(['one', 'one']))
    await statusOnce(new Api(next), ({ pending }) => pending === 0)
  })

  test('[GATEWAY-6.3] another address is tried at once', async ({ clock, world, receiver, delivering, arrived }) => {
    const { gateway, api, say } = await delivering(clock)
    receiver.answer = answerWith(500)
    await say('one')
    await statusOnce(api, now => now.next_attempt_ts !== undefined)
    await world.closeGateway(gateway)
    receiver.requests.length = 0
    receiver.answer = answerWith(200)
    await world.gateway(webhookTo(`${receiver.url}&new=1`), { clock })
    await arrived(['one'])
  })

  test('[GATEWAY-6.3] who polled before goes on with the webhook where it was', async ({
    world,
    alice,
    receiver,
    arrived,
    online: { gateway, api },
  }) => {
    await alice.openInvite((await api.me()).invite_url)
    await sayAll(alice, gateway, ['one', 'two'])
    await api.next('message', ({ message }) => message.text === 'one')
    await expect.poll(async () => (await api.updates()).length, SOON).toBe(2)
    const [one] = await api.updates()
    await api.updates(`offset=${(one?.id ?? 0) + 1}`)
    await world.closeGateway(gateway)
    await onlineGateway(world, webhookTo(receiver.url))
    await arrived(['two'])
  })
})

test('[GATEWAY-2.17] what was delivered while the disk was full is not sent again, and delivery goes on', async ({
  clock,
  receiver,
  delivering,
  arrived,
}) => {
  const { gateway, api, say } = await delivering(clock)
  const { journal } = gateway.client
  const confirm = journal.confirm.bind(journal)
  const refusals = [1, 2, 3]
  journal.confirm = async (...confirmation) => {
    if (refusals.pop()) throw new CodedError('storage-full')
    await confirm(...confirmation)
  }
  await say('one', 'two')
  const delivered = arrived(['one', 'two']).then(() => statusOnce(api, ({ pending }) => pending === 0))
  await passWhenAwaited(clock, gatewayLimits.webhookRetryFirstMs, delivered)
  expect(receiver.texts).toEqual(['one', 'two'])
})

test('[GATEWAY-2.17] a queue that cannot be read for a moment is read again', async ({
  clock,
  delivering,
  arrived,
}) => {
  const { gateway, say } = await delivering(clock)
  const { journal } = gateway.client
  const read = journal.read.bind(journal)
  const faults = [1, 2]
  journal.read = (...page) => {
    if (faults.pop()) throw new CodedError('storage-failed')
    return read(...page)
  }
  await say('one')
  await passWhenAwaited(clock, gatewayLimits.webhookRetryFirstMs, arrived(['one']))
})

test('[GATEWAY-6.6] GET /v1/webhook shows how delivery is doing, with a webhook and without one', async ({
  clock,
  world,
  receiver,
  delivering,
}) => {
  const { gateway, api, say } = await delivering(clock)
  const fresh = await status(api)
  expect(fresh).toEqual({ enabled: true, pending: 0, last_attempt_ts: clock.nowMs() })
  clock.advance(5)
  receiver.answer = answerWith(500)
  await say('one', 'two', 'three')
  await statusOnce(api, now => now.next_attempt_ts !== undefined && now.pending === 3)
  expect(await status(api)).toEqual({
    enabled: true,
    pending: 3,
    last_attempt_ts: clock.nowMs(),
    last_error: 'The receiver answered 500.',
    last_error_ts: clock.nowMs(),
    next_attempt_ts: clock.nowMs() + 1000,
  })
  await world.closeGateway(gateway)
  const polled = await onlineGateway(world)
  expect(await status(polled.api)).toEqual({ enabled: false, pending: 3 })
  await world.closeGateway(polled.gateway)
  const off = await onlineGateway(world, { UPDATES: 'off' })
  expect(await status(off.api)).toEqual({ enabled: false, pending: 0 })
})
