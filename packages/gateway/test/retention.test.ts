// Updates that nobody fetches: how long and how many are kept, and the log line about dropped ones.
import { gatewayLimits, privateChatId } from '@postern/protocol'
import { ManualClock, passTime, type TestGateway } from '@postern/testkit'
import { expect } from 'vitest'
import { Metrics } from '../src/metrics/metrics.ts'
import { UpdateQueue } from '../src/queue/update-queue.ts'
import { UpdateRetention } from '../src/queue/update-retention.ts'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { answerWith } from './receiver.ts'

const DAY_MS = 86_400_000

const metric = async (api: Api, name: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await api.get('/v1/metrics')).text())?.[1])

const test = base.extend(
  'told',
  ({ alice }) =>
    async (gateway: TestGateway, api: Api, ...texts: string[]): Promise<void> => {
      await alice.openInvite((await api.me()).invite_url)
      for (const text of texts) await alice.say(privateChatId(gateway.client.account), text)
      await expect.poll(() => gateway.client.journal.newest(), SOON).toBe(texts.length + 1)
    },
)

test('[GATEWAY-5.7] after 24 hours updates are dropped, a minute later at most, and ids go on', async ({
  clock,
  world,
  alice,
  told,
}) => {
  const { gateway, api } = await onlineGateway(world, {}, { clock })
  await told(gateway, api, 'one', 'two')
  clock.leap(DAY_MS - 60_000)
  expect(await api.updates()).toHaveLength(3)
  expect(await metric(api, 'postern_updates_pending')).toBe(3)
  clock.leap(120_000)
  await expect.poll(() => api.updates(), SOON).toEqual([])
  expect(await metric(api, 'postern_updates_dropped_total')).toBe(3)
  expect(await metric(api, 'postern_updates_pending')).toBe(0)
  await world.closeGateway(gateway)
  const next = await onlineGateway(world)
  await alice.say(privateChatId(gateway.client.account), 'three')
  expect((await next.api.next('message')).id).toBeGreaterThan(3)
})

test('[GATEWAY-5.7] of too many the oldest are dropped; one line a minute says how many', async ({
  alice,
  told,
  online: { gateway, api },
}) => {
  await told(gateway, api, 'one', 'two', 'three', 'four', 'five')
  const clock = new ManualClock(Date.now())
  const metrics = new Metrics()
  const lines: object[] = []
  const quiet = () => undefined
  const log = { debug: quiet, info: quiet, error: quiet, warn: (fields: object) => void lines.push(fields) }
  const queue = await UpdateQueue.open(gateway.client.journal)
  const retention = new UpdateRetention(queue, { clock, elapsed: clock, log, metrics, keepMax: 3 })
  const texts = () => queue.read(10).map(({ json }) => /"text":"(\w+)"/.exec(json)?.[1])
  clock.advance(0)
  await expect.poll(texts, SOON).toEqual(['three', 'four', 'five'])
  expect(lines).toEqual([{ dropped: 3, tooOld: 0, tooMany: 3 }])

  await alice.say(privateChatId(gateway.client.account), 'six')
  await alice.say(privateChatId(gateway.client.account), 'seven')
  await expect.poll(() => gateway.client.journal.newest(), SOON).toBe(8)
  clock.advance(1000)
  await expect.poll(texts, SOON).toEqual(['five', 'six', 'seven'])
  expect(lines).toHaveLength(1)
  clock.advance(60_000)
  await expect
    .poll(() => lines, SOON)
    .toEqual([
      { dropped: 3, tooOld: 0, tooMany: 3 },
      { dropped: 2, tooOld: 0, tooMany: 2 },
    ])
  expect(metrics.updatesDropped.total()).toBe(5)
  await retention.stop()
  expect(clock.timerCount).toBe(0)
})

test('[GATEWAY-5.7] a webhook goes on after what was dropped', async ({ clock, world, alice, receiver, told }) => {
  receiver.answer = answerWith(500)
  const env = { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: 's' }
  const { gateway, api } = await onlineGateway(world, env, { clock })
  await told(gateway, api, 'one')
  clock.leap(DAY_MS + 120_000)
  await expect.poll(() => metric(api, 'postern_updates_dropped_total'), SOON).toBe(2)
  await world.closeGateway(gateway)
  receiver.requests.length = 0
  receiver.answer = answerWith(200)
  const next = await onlineGateway(world, env, { clock })
  // Longer than any pause between attempts; the connection to the relay does not survive it.
  clock.leap(gatewayLimits.webhookRetryMaxMs)
  await passTime(clock, next.gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
  await alice.say(privateChatId(gateway.client.account), 'two')
  await expect.poll(() => receiver.texts, SOON).toEqual(['two'])
})
