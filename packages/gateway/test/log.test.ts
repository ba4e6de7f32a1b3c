// The lines of the gateway's log, and the secrets that it never contains.
import { join } from 'node:path'
import type { SocketFactory } from '@postern/core'
import { ManualClock, passTime, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { readSettings } from '../src/config.ts'
import { type Gateway, startGateway } from '../src/gateway.ts'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'

const TOKEN = 'a-token-of-the-operator'
const logged: string[] = []
const write = (fields: object, text: string) => void logged.push(`${text} ${JSON.stringify(fields)}`)

let gateway: Gateway

const warnings = () => logged.filter(line => line.includes('_TOKEN') || line.includes('not encrypted'))

const test = base
  /** Without waiting for the relay. */
  .extend('startAnyway', ({ world }) => async (env: Record<string, string>, clock?: ManualClock): Promise<void> => {
    const log = { debug: write, info: write, warn: write, error: write }
    const settings = readSettings({
      BOT_TOKEN: TOKEN,
      BOT_NAME: 'bot',
      RELAY_URL: world.relayUrl,
      LISTEN: '127.0.0.1:0',
      DATA_DIR: join(world.directory, 'bot'),
      ...env,
    })
    gateway = await startGateway({ settings, log, ...(clock && { clock }) })
  })
  .extend('start', ({ startAnyway }) => async (env: Record<string, string> = {}): Promise<void> => {
    await startAnyway(env)
    await gateway.client.whenOnline(WITHIN)
  })

test.beforeEach(async () => {
  logged.length = 0
})

test.afterEach(async () => {
  await gateway.stop()
})

test('[GATEWAY-1.5] a short token is warned of in one line that does not hold it; a long one is not', async ({
  start,
}) => {
  await start({ BOT_TOKEN: 'shorter-than-16' })
  expect(warnings()).toHaveLength(1)
  expect(warnings()[0]).toMatch(/^token is short and could be guessed.*"setting":"BOT_TOKEN"/)
  expect(logged.join()).not.toContain('shorter-than-16')
  await gateway.stop()
  logged.length = 0
  await start({ BOT_TOKEN: 'not-shorter-than' })
  expect(warnings()).toEqual([])
})

test('[GATEWAY-1.6] a short METRICS_TOKEN is warned of like a BOT_TOKEN', async ({ start }) => {
  await start({ METRICS_TOKEN: 'for-figures' })
  expect(warnings()).toEqual([expect.stringMatching(/^token is short and could be guessed.*"setting":"METRICS_TOKEN"/)])
  expect(logged.join()).not.toContain('for-figures')
})

test('[GATEWAY-1.5] a relay to which bytes go in clear is warned of, by the address that the bot is bound to', async ({
  world,
}) => {
  const settings = readSettings({
    BOT_TOKEN: TOKEN,
    BOT_NAME: 'bot',
    RELAY_URL: 'http://relay.invalid:8090',
    LISTEN: '127.0.0.1:0',
    DATA_DIR: join(world.directory, 'elsewhere'),
  })
  const log = { debug: write, info: write, warn: write, error: write }
  const connect: SocketFactory = (_, events) => {
    queueMicrotask(() => events.closed('there is no such host'))
    return { send: () => {}, close: () => {} }
  }
  gateway = await startGateway({ settings, log, connect })
  expect(warnings()).toEqual([
    expect.stringMatching(/^the connection to the relay relay\.invalid:8090 is not encrypted/),
  ])
  await gateway.stop()
  logged.length = 0
  const { relayUrl: _, ...later } = settings
  gateway = await startGateway({ settings: later, log, connect })
  expect(warnings()).toHaveLength(1)
})

test('[GATEWAY-3.3] the same RELAY_URL in other words is the same relay, and one at which nobody answers is warned of', async ({
  world,
  start,
  startAnyway,
}) => {
  await start()
  await gateway.stop()
  await start({ RELAY_URL: world.relayUrl.replace('http', 'ws') })
  await gateway.stop()
  expect(logged.join()).not.toContain('new relay unreachable')
  const clock = new ManualClock(Date.now())
  await passTime(clock, startAnyway({ RELAY_URL: 'http://127.0.0.1:9' }, clock))
  expect(logged.join()).toContain('new relay unreachable')
  expect(gateway.client.identity.me().inviteUrl).toContain(world.relayUrl)
})

test('[GATEWAY-3.5] a first start without a relay says so, and goes on', async ({ world }) => {
  await world.stopRelay()
  const settings = readSettings({
    BOT_TOKEN: TOKEN,
    BOT_NAME: 'bot',
    RELAY_URL: world.relayUrl,
    LISTEN: '127.0.0.1:0',
    DATA_DIR: join(world.directory, 'early'),
  })
  gateway = await startGateway({ settings, log: { debug: write, info: write, warn: write, error: write } })
  await expect.poll(() => logged.join(), SOON).toContain('relay not connected')
  await world.startRelay()
  await gateway.client.whenOnline(WITHIN)
})

test('[GATEWAY-3.17] the log holds no webhook secret and no address of a receiver', async ({ alice, start }) => {
  await start({ WEBHOOK_URL: 'http://127.0.0.1:9/a-secret-path?key=hidden', WEBHOOK_SECRET: 'a-signing-key' })
  await alice.openInvite(gateway.client.identity.me().inviteUrl)
  await expect.poll(() => logged.join(), SOON).toContain('update not delivered')
  for (const secret of ['a-secret-path', 'hidden', 'a-signing-key']) expect(logged.join()).not.toContain(secret)
})

test('[GATEWAY-3.17] the log holds no token, invite or text', async ({ alice, start }) => {
  await start()
  const { inviteUrl } = gateway.client.identity.me()
  await alice.openInvite(inviteUrl)
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const send = (chat: string, text: unknown) =>
    fetch(`${gateway.url}/v1/chats/${chat}/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) })
  expect((await send(alice.id, 'a secret text')).status).toBe(200)
  await alice.hears('a secret text')
  await send('x', 'another secret text')
  await send(alice.id, ['a wrong secret text'])
  await fetch(`${gateway.url}/v1/me`, { headers: { authorization: 'Bearer a-wrong-token' } })
  await fetch(`${gateway.url}/v1/a-secret-path?token=${TOKEN}`, { headers })
  const log = logged.join('\n')
  expect(log).toContain('POST /v1/chats/:chat/messages')
  for (const secret of [TOKEN, 'a-wrong-token', 'secret', ...inviteUrl.split('/').slice(-2)])
    expect(log).not.toContain(secret)
})
