// Floods: many concurrent posts, large bodies, impatient senders. The order stays, answers come in time, the API stays up.
import { hookLimits, privateChatId } from '@postern/protocol'
import { passTime, passWhenAwaited } from '@postern/testkit'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { test } from './fixtures.ts'
import { hearsFrom, hookedGateway, newHook, post, say } from './hooks.ts'

const alerts = (count: number, name: string) => ({
  version: '4',
  status: 'firing',
  groupKey: name,
  commonLabels: { alertname: name },
  alerts: Array.from({ length: count }, (_, at) => ({
    status: 'firing',
    labels: { alertname: name, instance: `node-${at}`, severity: 'warning', job: 'node' },
    annotations: { summary: `${name} on node ${at}`, description: 'x'.repeat(250) },
    fingerprint: `${name}-${at}`,
  })),
})

test('[GATEWAY-10.18] 500 alerts in one body are one message', async ({ alice, hooked: { gateway, api } }) => {
  const hook = await newHook(api, alice.id, 'alerts')
  const json = alerts(500, 'Flood')
  expect(JSON.stringify(json).length).toBeGreaterThan(200_000)
  expect((await post(gateway, hook, { json })).status).toBe(200)
  expect((await hearsFrom(alice, '🔥 Flood: 500 срабатываний')).text).toMatch(/…и ещё 490 срабатываний$/)
})

test('[GATEWAY-10.18] 200 posts at once are each written once, and the API answers meanwhile', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api } = await hookedGateway(world, alice, { clock })
  const hook = await newHook(api, alice.id, 'text')
  const texts = Array.from({ length: 200 }, (_, at) => `number ${at}`)
  const posts = texts.map(text => say(gateway, hook, text))
  const asked = await Promise.all(Array.from({ length: 20 }, () => api.call('GET', '/v1/chats')))
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
  for (const { status } of await Promise.all(posts)) expect(status).toBe(200)
  expect((await say(gateway, hook, 'end')).status).toBe(200)
  await alice.hears('end')
  const heard = alice.texts(privateChatId(gateway.client.account))
  expect(heard.toSorted()).toEqual([...texts, 'end'].toSorted())
})

test('[GATEWAY-10.18] posts over one connection arrive in order', async ({ alice, hooked: { gateway, api } }) => {
  const hook = await newHook(api, alice.id, 'text')
  const texts = Array.from({ length: 30 }, (_, at) => `number ${at}`)
  for (const text of texts) expect((await say(gateway, hook, text)).status).toBe(200)
  await alice.hears('number 29')
  expect(alice.texts(privateChatId(gateway.client.account))).toEqual(texts)
})

test('[GATEWAY-10.18] a queue that is full answers 502, never 429, and takes posts again afterwards', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api } = await hookedGateway(world, alice, { clock })
  const hook = await newHook(api, alice.id, 'text')
  gateway.wire.cut()
  const answered: number[] = []
  const posts = Array.from({ length: hookLimits.waitingMax + 20 }, (_, at) =>
    say(gateway, hook, `${at}`).then(({ status }) => void answered.push(status)),
  )
  // Senders without a slot are answered immediately: the clock stands still.
  await expect.poll(() => answered.length, SOON).toBe(20)
  await passWhenAwaited(clock, hookLimits.postWithinMs, Promise.all(posts))
  expect(new Set(answered)).toEqual(new Set([502]))
  gateway.wire.mend()
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
  expect((await say(gateway, hook, 'after')).status).toBe(200)
  await alice.hears('after')
  expect(alice.texts(privateChatId(gateway.client.account))).toEqual(['after'])
})

test('[GATEWAY-10.18] a text of many pages comes in parts, in order', async ({ clock, world, alice }) => {
  const { gateway, api } = await hookedGateway(world, alice, { clock })
  const hook = await newHook(api, alice.id, 'text')
  const text = Array.from({ length: 14_000 }, (_, at) => `line ${at} of a long text\n`)
    .join('')
    .slice(0, 300_000)
  expect((await say(gateway, hook, text)).status).toBe(200)
  expect((await say(gateway, hook, 'end')).status).toBe(200)
  await alice.hears('end')
  expect(alice.texts(privateChatId(gateway.client.account)).join('')).toBe(`${text}end`)
})

test('[GATEWAY-10.18] a sender that repeats itself every second is written once a minute', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api } = await hookedGateway(world, alice, { clock })
  const hook = await newHook(api, alice.id, 'alerts')
  for (let at = 0; at < 20; at++) expect((await post(gateway, hook, { json: alerts(2, 'Again') })).status).toBe(200)
  expect((await post(gateway, hook, { json: alerts(1, 'End') })).status).toBe(200)
  await hearsFrom(alice, '🔥 End')
  expect(alice.texts(privateChatId(gateway.client.account))).toHaveLength(2)
})
