// The webhook as it is set, paused and tried again over the API.
import { createHmac } from 'node:crypto'
import type { WebhookStatus } from '@postern/bot-api'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { arrivedAt, SECRET, sayAll, statusOnce, webhookTo } from './delivering.ts'
import { test } from './fixtures.ts'
import { answerWith, TestReceiver } from './receiver.ts'

const set = (api: Api, url: string, secrets: object = { secret: SECRET }) =>
  api.ok<WebhookStatus>('PUT', '/v1/webhook', { url, ...secrets })

const refusal = (error: RegExp) => ({ status: 409, body: { code: 'webhook', error: expect.stringMatching(error) } })

test('[GATEWAY-6.8] a webhook of the API delivers what waits, ends polls, and survives restarts', async ({
  world,
  alice,
  receiver,
  talking: { gateway, api },
}) => {
  await sayAll(alice, gateway, ['one'])
  const update = await api.next('message')
  const waiting = api.updates(`offset=${update.id + 1}&timeout=60`)
  expect(await set(api, receiver.url)).toMatchObject({ enabled: true })
  expect(await api.call('GET', '/v1/updates')).toMatchObject(refusal(/DELETE \/v1\/webhook/))
  await sayAll(alice, gateway, ['two'])
  await arrivedAt(receiver, ['two'])
  // A poll that had not ended would have the second message, too.
  expect(await waiting).toEqual([])
  await statusOnce(api, ({ pending }) => pending === 0)
  await world.closeGateway(gateway)
  const reopened = await onlineGateway(world)
  await sayAll(alice, reopened.gateway, ['three'])
  await arrivedAt(receiver, ['two', 'three'])
  expect(JSON.stringify(await reopened.api.ok('GET', '/v1/webhook'))).not.toMatch(new RegExp(`${SECRET}|127.0.0.1`))
})

test('[GATEWAY-6.8] another address receives what the first one did not, under the same ids', async ({
  alice,
  receiver,
  talking: { gateway, api },
}) => {
  await using other = await TestReceiver.start()
  receiver.answer = answerWith(500)
  await set(api, receiver.url)
  await sayAll(alice, gateway, ['one', 'two'])
  await expect.poll(() => receiver.requests.length, SOON).toBeGreaterThan(0)
  expect(await set(api, other.url)).not.toHaveProperty('next_attempt_ts')
  await expect.poll(() => other.texts, SOON).toEqual(expect.arrayContaining(['one', 'two']))
  expect(other.ids).toContain(receiver.ids[0])
})

test('[GATEWAY-6.8] without its webhook the bot is polled again, also after a restart, and nothing is lost', async ({
  world,
  alice,
  receiver,
  talking: { gateway, api },
}) => {
  receiver.answer = answerWith(500)
  await set(api, receiver.url)
  await sayAll(alice, gateway, ['kept'])
  await expect.poll(() => receiver.requests.length, SOON).toBeGreaterThan(0)
  expect(await api.ok('DELETE', '/v1/webhook')).toMatchObject({ enabled: false })
  expect(await api.next('message')).toMatchObject({ message: { text: 'kept' } })
  expect(await api.ok('DELETE', '/v1/webhook')).toMatchObject({ enabled: false })
  await world.closeGateway(gateway)
  const reopened = await onlineGateway(world)
  expect(await reopened.api.ok('GET', '/v1/webhook')).toMatchObject({ enabled: false })
})

test('[GATEWAY-6.9] with WEBHOOK_URL the API sets and removes nothing, and the setting takes precedence', async ({
  world,
  alice,
  receiver,
  talking: { gateway, api },
}) => {
  await using other = await TestReceiver.start()
  await set(api, other.url)
  await world.closeGateway(gateway)
  const reopened = await onlineGateway(world, webhookTo(receiver.url))
  const json = { url: other.url, secret: 'x' }
  expect(await reopened.api.call('PUT', '/v1/webhook', { json })).toMatchObject(refusal(/WEBHOOK_URL/))
  expect(await reopened.api.call('DELETE', '/v1/webhook')).toMatchObject(refusal(/WEBHOOK_URL/))
  const before = other.requests.length
  await sayAll(alice, reopened.gateway, ['to the setting'])
  await expect.poll(() => receiver.texts.at(-1)).toBe('to the setting')
  expect(other.requests).toHaveLength(before)
  await world.closeGateway(reopened.gateway)
  const again = await onlineGateway(world)
  await sayAll(alice, again.gateway, ['to the API'])
  await expect.poll(() => other.texts.at(-1)).toBe('to the API')
})

test('[GATEWAY-6.9] with UPDATES=off, and without a webhook to pause, it is 409', async ({ world, online }) => {
  for (const action of ['pause', 'resume', 'retry'])
    expect(await online.api.call('POST', `/v1/webhook/${action}`)).toMatchObject(refusal(/^No webhook is set/))
  await world.closeGateway(online.gateway)
  const { api } = await onlineGateway(world, { UPDATES: 'off' })
  const json = { url: 'http://127.0.0.1:9/', secret: 'x' }
  expect(await api.call('PUT', '/v1/webhook', { json })).toMatchObject(refusal(/UPDATES/))
  expect(await api.call('DELETE', '/v1/webhook')).toMatchObject(refusal(/UPDATES/))
})

test('[GATEWAY-6.10] a paused webhook delivers nothing, also after a restart, until it is resumed', async ({
  world,
  alice,
  receiver,
  delivering,
}) => {
  const { gateway, api } = await delivering()
  expect(await api.ok('POST', '/v1/webhook/pause')).toMatchObject({ enabled: true, paused: true })
  expect(await api.ok('POST', '/v1/webhook/pause')).toMatchObject({ enabled: true, paused: true })
  await sayAll(alice, gateway, ['waits'])
  await statusOnce(api, ({ pending }) => pending === 1)
  expect(await api.call('GET', '/v1/updates')).toMatchObject(refusal(/WEBHOOK_URL/))
  await world.closeGateway(gateway)
  const reopened = await onlineGateway(world, webhookTo(receiver.url))
  expect(await reopened.api.ok('GET', '/v1/webhook')).toMatchObject({ paused: true, pending: 1 })
  await sayAll(alice, reopened.gateway, ['too'])
  await statusOnce(reopened.api, ({ pending }) => pending === 2)
  expect(receiver.requests).toEqual([])
  expect(await reopened.api.ok('POST', '/v1/webhook/resume')).not.toHaveProperty('paused')
  await arrivedAt(receiver, ['waits', 'too'])
})

test('[GATEWAY-6.11] a failed delivery is tried again on request, while no time passes', async ({
  clock,
  receiver,
  delivering,
}) => {
  const { api, say } = await delivering(clock)
  receiver.answer = answerWith(500)
  await say('again')
  await expect.poll(() => receiver.requests.length, SOON).toBe(1)
  await statusOnce(api, status => status.next_attempt_ts !== undefined)
  await api.ok('POST', '/v1/webhook/retry')
  await expect.poll(() => receiver.requests.length, SOON).toBe(2)
  const { next_attempt_ts: next = 0, last_error_ts: last = 0 } = await statusOnce(
    api,
    status => status.next_attempt_ts !== undefined,
  )
  expect(next - last, 'the wait grows').toBe(2000)
  receiver.answer = answerWith(200)
  await api.ok('POST', '/v1/webhook/retry')
  await statusOnce(api, ({ pending }) => pending === 0)
  expect(new Set(receiver.ids).size).toBe(1)
})

test('[GATEWAY-6.12] while the secret changes, the standard signature is there under both', async ({
  alice,
  receiver,
  talking: { gateway, api },
}) => {
  const previous = `whsec_${Buffer.from('0123456789abcdef').toString('base64')}`
  await set(api, receiver.url, { secret: SECRET, previous_secret: previous })
  await sayAll(alice, gateway, ['signed'])
  await expect.poll(() => receiver.texts.at(-1)).toBe('signed')
  const { headers, body } = receiver.requests.at(-1) ?? expect.fail()
  expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`)
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const sign = (key: string) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  expect(headers['webhook-signature']).toBe(`${sign(SECRET)} ${sign('0123456789abcdef')}`)
  await set(api, receiver.url)
  await sayAll(alice, gateway, ['changed'])
  await expect.poll(() => receiver.texts.at(-1)).toBe('changed')
  expect(receiver.requests.at(-1)?.headers['webhook-signature']).not.toContain(' ')
})

test.for([
  ['url', 'ftp://example.org', 'must be an address that starts with http:// or https://.'],
  ['url', 'example.org', 'must be an address that starts with http:// or https://.'],
  ['secret', 'whsec_x', 'must be base64 after whsec_.'],
] as const)(
  '[GATEWAY-6.13] the %s %j is refused as in the settings',
  async ([field, value, rule], { world, online }) => {
    const right = { url: 'http://127.0.0.1:9/', secret: 'x' }
    const json = { ...right, [field]: value }
    expect(await online.api.call('PUT', '/v1/webhook', { json })).toMatchObject({
      status: 400,
      body: { code: 'bad_request', error: `${field}: ${rule}` },
    })
    expect(await online.api.ok('GET', '/v1/webhook')).toMatchObject({ enabled: false })
    await world.closeGateway(online.gateway)
    const env = { WEBHOOK_URL: json.url, WEBHOOK_SECRET: json.secret }
    await expect(world.gateway(env)).rejects.toThrow(`WEBHOOK_${field.toUpperCase()}: ${rule}`)
  },
)
