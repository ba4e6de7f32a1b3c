// The machine's clock is set, forward or back, while a gateway runs or between two runs: only time that passed counts.
import type { Message } from '@postern/bot-api'
import { type ChatId, gatewayLimits, hookLimits, privateChatId, silentLog } from '@postern/protocol'
import { type ManualClock, passTime, type TestGateway, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { Api, onlineGateway, SOON } from './api.ts'
import { deliveringTo, statusOnce } from './delivering.ts'
import { test as base } from './fixtures.ts'
import { HOOKS_URL, hearsFrom, hookedGateway, newHook, post } from './hooks.ts'
import { answerWith } from './receiver.ts'
import { sees, talking } from './talking.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const { updatesSweepEveryMs, webhookRetryFirstMs } = gatewayLimits

const waiting = async (api: Api): Promise<(string | undefined)[]> =>
  (await api.updates()).map(update => (update.type === 'message' ? update.message.text : update.type))

const test = base
  .extend('worldOptions', ({ relayClock }) => ({ relayClock }))
  /** For everybody but alice, who talks to the relay in her own time. */
  .extend('passes', ({ clock, relayClock }) => async (ms: number, gateway?: TestGateway): Promise<void> => {
    clock.leap(ms)
    relayClock.leap(ms)
    if (gateway) await passTime(clock, gateway.client.whenOnline({ timeoutMs: HOUR_MS }))
  })
  /** A gateway with one update that nobody has fetched. */
  .extend('unread', ({ clock, world, alice }) => async () => {
    const { gateway, api, toBot } = await talking(world, alice, { clock })
    await alice.say(toBot, 'unread')
    await expect.poll(() => waiting(api), SOON).toContain('unread')
    return { gateway, api }
  })
  /** Resolves when the next sweep of old updates is over. */
  .extend('swept', ({ passes }) => async (gateway: TestGateway): Promise<void> => {
    await passes(updatesSweepEveryMs, gateway)
    await gateway.client.journal.confirm('nobody', 0)
  })
  .extend('restarted', ({ clock, world }) => async (gateway: TestGateway, meanwhile: () => void | Promise<void>) => {
    await world.closeGateway(gateway)
    await meanwhile()
    return await onlineGateway(world, {}, { clock })
  })
  .extend('pressed', ({ clock, world, alice }) => async () => {
    const { gateway, api, path, toBot } = await talking(world, alice, { clock })
    const buttons = [[{ text: 'Yes', data: 'y' }]]
    const { id } = await api.ok<Message>('POST', `${path}/messages`, { text: 'Well?', buttons })
    await sees(alice, { id })
    await alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
    const { press_id } = (await api.next('button')).button
    const answer = () => api.call('POST', `/v1/presses/${press_id}/answer`, { json: { text: 'here' } })
    return { gateway, answer }
  })

test('[GATEWAY-5.8] a clock that is set three days forward, as after a start without a battery, drops no update', async ({
  clock,
  unread,
  swept,
  passes,
}) => {
  const { gateway, api } = await unread()
  clock.set(3 * DAY_MS)
  await swept(gateway)
  expect(await waiting(api)).toContain('unread')
  await passes(DAY_MS - 2 * updatesSweepEveryMs, gateway)
  expect(await waiting(api)).toContain('unread')
  await passes(2 * updatesSweepEveryMs, gateway)
  await expect.poll(() => waiting(api), SOON).toEqual([])
})

test('[GATEWAY-5.8] nor one that is set back keeps them longer', async ({ clock, unread, passes }) => {
  const { gateway, api } = await unread()
  clock.set(-3 * DAY_MS)
  await passes(DAY_MS + updatesSweepEveryMs, gateway)
  await expect.poll(() => waiting(api), SOON).toEqual([])
})

test('[GATEWAY-5.8] nor one that is set between two runs: the relay knows of no three days', async ({
  clock,
  unread,
  restarted,
  swept,
}) => {
  const { gateway } = await unread()
  const next = await restarted(gateway, () => clock.set(3 * DAY_MS))
  await swept(next.gateway)
  expect(await waiting(next.api)).toContain('unread')
})

test('[GATEWAY-5.8] nor does a relay that claims three days', async ({ relayClock, unread, restarted, swept }) => {
  const { gateway } = await unread()
  const next = await restarted(gateway, () => relayClock.set(3 * DAY_MS))
  await swept(next.gateway)
  expect(await waiting(next.api)).toContain('unread')
})

test('[GATEWAY-5.7] where both clocks are three days wrong, one line says how many were dropped, and by which time', async ({
  clock,
  relayClock,
  world,
  unread,
  swept,
}) => {
  const { gateway } = await unread()
  await world.closeGateway(gateway)
  clock.set(3 * DAY_MS)
  relayClock.set(3 * DAY_MS)
  const lines: object[] = []
  const log = {
    ...silentLog,
    warn: (fields: object, text: string) => void (text.startsWith('updates dropped') && lines.push(fields)),
  }
  const next = await onlineGateway(world, {}, { clock, log })
  await swept(next.gateway)
  await expect.poll(() => waiting(next.api), SOON).toEqual([])
  await swept(next.gateway)
  expect(lines).toEqual([{ dropped: 2, tooOld: 2, tooMany: 0, offMs: expect.closeTo(3 * DAY_MS, -5) }])
})

test('[GATEWAY-5.8] the time in which the gateway was off counts once both clocks tell of it', async ({
  unread,
  restarted,
  passes,
  swept,
}) => {
  const { gateway } = await unread()
  const next = await restarted(gateway, () => passes(DAY_MS))
  await expect.poll(() => waiting(next.api), SOON).toContain('unread')
  await swept(next.gateway)
  await expect.poll(() => waiting(next.api), SOON).toEqual([])
})

type Time = { clock: ManualClock; passes: (ms: number) => Promise<void> }

const whileItIsOff: [string, (time: Time) => Promise<void>][] = [
  ['also of that time', ({ passes }) => passes(3 * DAY_MS)],
  ['when only the clock was set', async ({ clock }) => clock.set(3 * DAY_MS)],
]

test.for(whileItIsOff)(
  '[GATEWAY-5.8] what happened before the relay was heard has its day from then on, %s',
  async ([, meanwhile], { clock, world, alice, swept, passes }) => {
    const settings = { ACCEPT_REQUESTS: 'contacts' }
    const { gateway, api } = await onlineGateway(world, settings, { clock })
    await alice.say(privateChatId(gateway.client.account), 'a request')
    await expect.poll(() => waiting(api), SOON).toContain('chat')
    await expect.poll(() => gateway.client.messages.list(alice.chatId, { limit: 1 }), SOON).toHaveLength(1)
    await world.closeGateway(gateway)
    await world.stopRelay()
    await meanwhile({ clock, passes })
    const next = await world.gateway(settings, { clock })
    const nextApi = new Api(next)
    await nextApi.ok('POST', `/v1/chats/${alice.id}/accept`)
    expect(await waiting(nextApi)).toContain('a request')
    await world.startRelay()
    await passTime(clock, next.client.whenOnline({ timeoutMs: HOUR_MS }))
    await swept(next)
    expect(await waiting(nextApi)).toContain('a request')
    await passes(DAY_MS, next)
    await expect.poll(() => waiting(nextApi), SOON).toEqual([])
  },
)

test.for(whileItIsOff)(
  '[GATEWAY-5.8] what is read before the relay was heard disappears after its time from then on, %s',
  async ([, meanwhile], { clock, world, alice, passes }) => {
    const { gateway, api, path, toBot } = await talking(world, alice, { clock })
    await alice.client.chats.setTimer(toBot, DAY_MS, WITHIN)
    await api.next('notice')
    const { id } = await alice.say(toBot, 'read late')
    await api.next('message')
    await world.closeGateway(gateway)
    await world.stopRelay()
    await meanwhile({ clock, passes })
    const next = await world.gateway({}, { clock })
    const nextApi = new Api(next)
    const statusNow = async () => (await nextApi.call('GET', `${path}/messages/${id}`)).status
    await nextApi.ok('POST', `${path}/read`)
    await world.startRelay()
    await passTime(clock, next.client.whenOnline({ timeoutMs: HOUR_MS }))
    await passes(HOUR_MS, next)
    expect(await statusNow()).toBe(200)
    await passes(DAY_MS, next)
    await expect.poll(statusNow, SOON).toBe(404)
  },
)

test('[GATEWAY-9.5] a gateway whose clock is two minutes ahead of the relay’s answers presses', async ({
  clock,
  pressed,
}) => {
  clock.set(120_000)
  const { answer } = await pressed()
  expect((await answer()).status).toBe(200)
})

test('[GATEWAY-9.5] setting the clock makes no press too late', async ({ clock, pressed }) => {
  const first = await pressed()
  clock.set(HOUR_MS)
  expect((await first.answer()).status).toBe(200)
})

test('[GATEWAY-9.5] and none answerable for longer', async ({ clock, pressed, passes }) => {
  const second = await pressed()
  clock.set(-HOUR_MS)
  await passes(60_001, second.gateway)
  expect((await second.answer()).status).toBe(400)
})

test('[GATEWAY-9.5] the minute of a press that waited at the relay began when it was pressed', async ({
  clock,
  world,
  alice,
  passes,
}) => {
  const { gateway, api, path, toBot } = await talking(world, alice, { clock })
  const buttons = [[{ text: 'Yes', data: 'y' }]]
  const { id } = await api.ok<Message>('POST', `${path}/messages`, { text: 'Well?', buttons })
  await sees(alice, { id })
  await world.closeGateway(gateway)
  const press = await alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
  await passes(70_000)
  const next = await onlineGateway(world, {}, { clock })
  await next.api.next('button')
  expect((await next.api.call('POST', `/v1/presses/${press}/answer`, { json: { text: 'here' } })).status).toBe(400)
})

test('[GATEWAY-5.8] setting the clock forgets no Idempotency-Key', async ({ clock, world, alice, passes }) => {
  const { gateway, api, path } = await talking(world, alice, { clock })
  const send = () =>
    api.call<Message>('POST', `${path}/messages`, { json: { text: 'once' }, headers: { 'idempotency-key': 'k' } })
  const first = await send()
  clock.set(3 * DAY_MS)
  expect(await send()).toEqual(first)
  await passes(DAY_MS + 1000, gateway)
  expect((await send()).body.id).not.toBe(first.body.id)
})

test('[GATEWAY-5.8] nor what is remembered of posts to hooks', async ({ clock, world, alice }) => {
  const { gateway, api } = await hookedGateway(world, alice, { clock })
  const hook = await newHook(api, alice.id, 'text')
  const say = (body: string, key: string) =>
    post(gateway, hook, { body, headers: { 'content-type': 'text/plain', 'idempotency-key': key } })
  expect((await say('once', 'k')).status).toBe(200)
  clock.set(3 * DAY_MS)
  expect((await say('once', 'k')).status).toBe(200)
  expect((await say('end', 'e')).status).toBe(200)
  await alice.hears('end')
  expect(alice.texts(privateChatId(gateway.client.account))).toEqual(['once', 'end'])
})

test('[GATEWAY-5.8] nor does it erase the address of a hook before its owner could read it', async ({
  clock,
  world,
  alice,
  passes,
}) => {
  const { gateway, api } = await onlineGateway(world, { HOOKS_URL, BOT_OWNERS: alice.id }, { clock })
  await alice.openInvite((await api.me()).invite_url)
  const bot: ChatId = privateChatId(gateway.client.account)
  await expect.poll(() => gateway.client.chats.list().length, SOON).toBe(1)
  await alice.say(bot, '/hook text')
  const { id } = await hearsFrom(alice, 'Хук')
  clock.set(3 * DAY_MS)
  for (const _ of [1, 2, 3]) await passes(hookLimits.addressLookEveryMs, gateway)
  await gateway.client.journal.confirm('nobody', 0)
  expect((await api.call('GET', `/v1/chats/${alice.id}/messages/${id}`)).status).toBe(200)
  expect(JSON.stringify(gateway.client.records('hooks').all())).toContain(id)
})

test('[GATEWAY-5.8] nor does it end the time in which a message can be edited, or that of a disappearing one', async ({
  clock,
  world,
  alice,
  passes,
}) => {
  const { gateway, api, path, toBot } = await talking(world, alice, { clock })
  await alice.client.chats.setTimer(toBot, DAY_MS, WITHIN)
  await api.next('notice')
  const { id } = await api.ok<Message>('POST', `${path}/messages`, { text: 'first' })
  clock.set(3 * DAY_MS)
  await passes(1000, gateway)
  expect((await api.call('PATCH', `${path}/messages/${id}`, { json: { text: 'second' } })).status).toBe(200)
  await passes(DAY_MS, gateway)
  await expect.poll(async () => (await api.call('GET', `${path}/messages/${id}`)).status, SOON).toBe(404)
})

test('[GATEWAY-5.8] nor does it make a webhook wait', async ({ clock, world, alice, receiver }) => {
  const { api, say } = await deliveringTo({ world, alice, receiver }, clock)
  receiver.answer = answerWith(500)
  await say('one')
  await statusOnce(api, now => now.next_attempt_ts !== undefined)
  receiver.answer = answerWith(200)
  clock.set(-HOUR_MS)
  clock.advance(webhookRetryFirstMs)
  await expect.poll(() => receiver.texts, SOON).toEqual(['one', 'one'])
  await statusOnce(api, ({ pending }) => pending === 0)
})
