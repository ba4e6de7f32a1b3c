// The gateway's metrics: what each of them counts, and what none of them contains.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatewayLimits, privateChatId } from '@postern/protocol'
import { HostileRelay, passTime, WITHIN } from '@postern/testkit'
import { documentedMetrics, readScrape } from '@postern/testkit/scrape'
import { expect } from 'vitest'
import { VERSION } from '../src/version.ts'
import { Api, onlineGateway, SOON } from './api.ts'
import { webhookTo } from './delivering.ts'
import { test } from './fixtures.ts'
import { answerWith } from './receiver.ts'
import { sentFile } from './send-form.ts'
import { grouped } from './talking.ts'
import { unknownId } from './wrong-bodies.ts'

const HOUR_MS = 3_600_000

const scrape = async (api: Api) => readScrape(await (await api.get('/v1/metrics')).text())
const figure = async (api: Api, name: string) => (await scrape(api)).samples[name]

test('[GATEWAY-5.9] the figures need the token and are in the text format of Prometheus', async ({
  alice,
  talking: { gateway, api },
}) => {
  await api.send(alice.id, { text: 'hello' })
  await api.send(unknownId, { text: 'hello' })
  expect((await fetch(`${gateway.url}/v1/metrics`)).status).toBe(401)
  const answer = await api.get('/v1/metrics')
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await answer.text()
  expect(text).toMatch(/^(# HELP \w+ .+\n# TYPE \w+ (counter|gauge|histogram)\n(\w+({\w+="[\w.+]*"})? [\d.e-]+\n)*)+$/)
  expect(readScrape(text).samples).toMatchObject({
    postern_relay_connected: 1,
    postern_updates_pending: 1,
    postern_updates_dropped_total: 0,
    'postern_sends_total{outcome="sent"}': 1,
    'postern_sends_total{outcome="refused"}': 1,
    'postern_sends_total{outcome="unavailable"}': 0,
    'postern_webhook_attempts_total{outcome="delivered"}': 0,
  })
})

test('[GATEWAY-12.1] version, process, and what is on the disk', async ({ talking: { api, path } }) => {
  const before = (await scrape(api)).samples
  expect(before).toMatchObject({ [`postern_build_info{version="${VERSION}"}`]: 1, postern_file_cache_bytes: 0 })
  expect(before['postern_database_bytes']).toBeGreaterThan(4096)
  expect(before['postern_database_log_bytes']).toBeGreaterThanOrEqual(0)
  expect(before['postern_disk_free_bytes']).toBeGreaterThan(0)
  expect(before['process_resident_memory_bytes']).toBeGreaterThan(1e7)
  expect(before['process_start_time_seconds']).toBeGreaterThan(Date.now() / 1000 - 3600)
  await sentFile(api, path, new Uint8Array(100_000))
  const cached = await figure(api, 'postern_file_cache_bytes')
  expect(cached).toBeGreaterThanOrEqual(100_000)
  expect(cached).toBeLessThan(110_000)
})

test('[GATEWAY-12.12] the age of the last backup, once there is one', async ({ world, clock }) => {
  const { api } = await onlineGateway(world, {}, { clock })
  const age = () => figure(api, 'postern_backup_age_seconds')
  expect(await age()).toBeUndefined()
  const note = join(world.directory, 'gateway', 'last-backup')
  writeFileSync(note, `${new Date(clock.nowMs() - 90_000).toISOString()}\n`)
  expect(await age()).toBe(90)
  // A clock that was set back.
  writeFileSync(note, `${new Date(clock.nowMs() + 90_000).toISOString()}\n`)
  expect(await age()).toBe(0)
})

test('[GATEWAY-12.2] each text, edit and poll that the relay has is timed once, and nothing else', async ({
  alice,
  world,
  talking: { gateway, api, path },
}) => {
  const timed = async () => (await scrape(api)).samples
  const sent = await api.ok<{ id: string }>('POST', `${path}/messages`, { text: 'one' })
  await api.ok('PATCH', `${path}/messages/${sent.id}`, { text: 'two' })
  await api.ok('POST', `${path}/polls`, { question: 'When?', options: ['now', 'later'] })
  expect(await timed()).toMatchObject({
    postern_send_seconds_count: 3,
    'postern_send_seconds_bucket{le="+Inf"}': 3,
    'postern_sends_total{outcome="sent"}': 3,
  })
  const sum = (await timed())['postern_send_seconds_sum'] ?? 0
  expect(sum).toBeGreaterThan(0)
  await sentFile(api, path, 'a file')
  await grouped(api, [alice])
  await api.send(alice.id, { text: '' })
  await api.send(unknownId, { text: 'lost' })
  await world.stopRelay()
  await expect.poll(() => gateway.client.isOnline, SOON).toBe(false)
  expect(await timed()).toMatchObject({
    postern_send_seconds_count: 3,
    postern_send_seconds_sum: sum,
    'postern_sends_total{outcome="sent"}': 5,
    'postern_sends_total{outcome="refused"}': 1,
  })
})

test('[GATEWAY-12.3] the oldest update grows old by the time that passes, over a restart, and by no clock', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api } = await onlineGateway(world, {}, { clock })
  const oldest = () => figure(api, 'postern_updates_oldest_seconds')
  expect(await oldest()).toBe(0)
  await alice.openInvite((await api.me()).invite_url)
  await expect.poll(() => gateway.client.journal.newest(), SOON).toBe(1)
  const cameMs = clock.monotonicMs()
  clock.leap(HOUR_MS)
  await alice.say(privateChatId(gateway.client.account), 'later')
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: HOUR_MS }))
  clock.set(3 * 24 * HOUR_MS)
  const age = (clock.monotonicMs() - cameMs) / 1000
  expect(age).toBeGreaterThanOrEqual(3600)
  expect(await oldest()).toBe(age)
  clock.set(-6 * 24 * HOUR_MS)
  expect(await oldest()).toBe(age)
  await world.closeGateway(gateway)
  const next = await onlineGateway(world, {}, { clock })
  expect(await figure(next.api, 'postern_updates_oldest_seconds')).toBe(age)
  const last = next.gateway.client.journal.newest()
  await next.api.updates(`offset=${last + 1}`)
  expect((await scrape(next.api)).samples).toMatchObject({
    postern_updates_oldest_seconds: 0,
    postern_updates_pending: 0,
  })
})

test('[GATEWAY-12.4] the webhook tells how long ago it last worked, and before that since when it is there', async ({
  clock,
  world,
  alice,
  receiver,
  arrived,
}) => {
  receiver.answer = answerWith(500)
  const { gateway, api } = await onlineGateway(world, webhookTo(receiver.url), { clock })
  const since = () => figure(api, 'postern_webhook_since_success_seconds')
  const begun = (await since()) ?? Number.NaN
  await alice.openInvite((await api.me()).invite_url)
  await arrived(['chat'])
  clock.set(24 * HOUR_MS)
  expect(await since()).toBe(begun)
  clock.leap(HOUR_MS)
  expect(await since()).toBe(begun + 3600)
  receiver.answer = answerWith(200)
  clock.leap(gatewayLimits.webhookRetryMaxMs)
  await expect.poll(() => figure(api, 'postern_updates_pending'), SOON).toBe(0)
  await expect.poll(since, SOON).toBeLessThan(3600)
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: HOUR_MS }))
})

test('[GATEWAY-12.4] who polls has no such figure', async ({ online: { api } }) => {
  expect(await figure(api, 'postern_webhook_since_success_seconds')).toBeUndefined()
})

test('[GATEWAY-12.5] each person who comes takes a key package; before the relay was heard there is no figure', async ({
  world,
  alice,
}) => {
  const { gateway, api } = await onlineGateway(world)
  const left = () => figure(api, 'postern_key_packages')
  await expect.poll(left, SOON).toBe(100)
  await alice.openInvite((await api.me()).invite_url)
  await expect.poll(left, SOON).toBe(99)
  await world.closeGateway(gateway)
  await world.stopRelay()
  const alone = await world.gateway()
  const answer = await fetch(`${alone.url}/v1/metrics`, { headers: { authorization: `Bearer ${alone.token}` } })
  const { samples, shapes } = readScrape(await answer.text())
  expect(shapes).toContain('postern_key_packages gauge')
  expect(samples).not.toHaveProperty('postern_key_packages')
  await world.startRelay()
  await alone.client.whenOnline(WITHIN)
  await expect.poll(async () => await figure(new Api(alone), 'postern_key_packages'), SOON).toBe(99)
})

test('[GATEWAY-12.5] a relay that claims to have millions is believed as far as there are keys for them', async ({
  clock,
  world,
}) => {
  const { gateway, api } = await onlineGateway(world, {}, { clock })
  await expect.poll(() => figure(api, 'postern_key_packages'), SOON).toBe(100)
  const relay = new HostileRelay(gateway.wire)
  relay.changeAnswer('authenticate', session => ({ ...session, keyPackages: 5_000_000 }))
  gateway.wire.drop()
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: HOUR_MS }))
  expect(await figure(api, 'postern_key_packages')).toBe(100)
})

test('[GATEWAY-12.6] a data directory that cannot be looked at costs its own figures alone', async ({
  world,
  online: { api },
}) => {
  const [here, away] = [join(world.directory, 'gateway'), join(world.directory, 'away')]
  renameSync(here, away)
  try {
    expect((await scrape(api)).samples).toMatchObject({
      postern_disk_free_bytes: Number.NaN,
      postern_relay_connected: 1,
      'postern_sends_total{outcome="sent"}': 0,
    })
  } finally {
    renameSync(away, here)
  }
  expect(await figure(api, 'postern_disk_free_bytes')).toBeGreaterThan(0)
})

test('[GATEWAY-12.7] the table of docs/operating.md names all of them with their labels, and no others', async ({
  world,
  receiver,
}) => {
  const served = new Set<string>()
  for (const [name, env] of [
    ['polled', { TELEGRAM_API: 'on' }],
    ['asking', { MCP: 'on', MCP_TOKEN: 'token-of-agents' }],
    ['delivered', webhookTo(receiver.url)],
    ['off', { UPDATES: 'off' }],
  ] as const) {
    const { api } = await onlineGateway(world, { ...env, DATA_DIR: join(world.directory, name) })
    for (const shape of (await scrape(api)).shapes) served.add(shape)
  }
  expect(documentedMetrics("The gateway's metrics").toSorted()).toEqual([...served].toSorted())
})

test('[GATEWAY-12.8] nothing that others choose is in them, and nothing by which they are known', async ({
  world,
  alice,
}) => {
  const { gateway, api } = await onlineGateway(world, { HOOKS_URL: 'https://hooks.example.org', BOT_NAME: 'Zaphod' })
  const before = Object.keys((await scrape(api)).samples)
  await alice.openInvite((await api.me()).invite_url)
  await alice.say(privateChatId(gateway.client.account), 'a word of alice')
  await api.next('message')
  await api.send(alice.id, { text: 'a word of the bot' })
  for (const path of ['/v1/"}x', '/v1/chats/a"b', '/hooks/some-secret', '/v1/metrics?x="1'])
    await (await api.get(encodeURI(path))).text()
  const text = await (await api.get('/v1/metrics')).text()
  expect(Object.keys(readScrape(text).samples).toSorted()).toEqual(before.toSorted())
  for (const told of [alice.id, gateway.client.account, 'alice', 'Zaphod', 'word', 'secret', gateway.token])
    expect(text).not.toContain(told)
})
