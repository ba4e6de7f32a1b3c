// Long polling end to end: what is confirmed, who waits how long, and what survives a restart.
import type { Client } from '@postern/core'
import { privateChatId } from '@postern/protocol'
import { ManualClock } from '../../testkit/src/manual-clock.ts'
import { expect, test } from 'vitest'
import { type Api, openByLink, World, within } from './world.ts'

const texts = (updates: { type: string }[]): unknown[] =>
  updates.flatMap(update => ('message' in update ? [(update.message as { text?: string }).text] : []))

async function say(person: Client, bot: { client: Client }, ...words: string[]): Promise<void> {
  for (const text of words) await person.sendText(privateChatId(bot.client.account), { text }, within)
}

/** A gateway with one chat whose opening is confirmed already. */
async function chatting(world: World, clock?: ManualClock) {
  const gateway = await world.onlineGateway({}, clock ? { clock } : {})
  const alice = await world.person('alice')
  await openByLink(alice, gateway.api)
  const [opened] = await gateway.api.updates('timeout=20')
  const offset = (opened?.id ?? 0) + 1
  await gateway.api.updates(`offset=${offset}`)
  return { gateway, alice, api: gateway.api, offset }
}

async function waitFor(api: Api, count: number): Promise<void> {
  for (let seen = 0; seen < count; ) seen = (await api.updates('timeout=20')).length
}

test('[R20] updates come in order, again and again until they are confirmed', async () => {
  await using world = await World.open()
  const { gateway, alice, api } = await chatting(world)
  await say(alice, gateway, 'one', 'two', 'three')
  await waitFor(api, 3)
  const all = await api.updates('timeout=20')
  expect(texts(all)).toEqual(['one', 'two', 'three'])
  expect(await api.updates('offset=0')).toEqual(all)
  expect(await api.updates('limit=2')).toEqual(all.slice(0, 2))
  expect(await api.updates(`offset=${all[1]?.id}`)).toEqual(all.slice(1))
  expect(await api.updates('')).toEqual(all.slice(1))
  // Going back finds nothing: what is confirmed is gone.
  expect(await api.updates(`offset=${all[0]?.id}`)).toEqual(all.slice(1))
})

test('[R20] an offset above the newest confirms all there is and nothing that comes', async () => {
  await using world = await World.open()
  const { gateway, alice, api } = await chatting(world)
  await say(alice, gateway, 'one')
  await api.updates('timeout=20')
  expect(await api.updates('offset=1000000')).toEqual([])
  await say(alice, gateway, 'two')
  expect(texts(await api.updates('offset=1000000&timeout=20'))).toEqual(['two'])
})

test('[R21] what is confirmed stays confirmed over a restart, and what is not comes again under its id', async () => {
  await using world = await World.open()
  const { gateway, alice, api } = await chatting(world)
  await say(alice, gateway, 'one', 'two')
  await waitFor(api, 2)
  const [one, two] = await api.updates('')
  await api.updates(`offset=${two?.id}`)
  await gateway.stop()
  const again = await world.onlineGateway()
  expect(await again.api.updates('')).toEqual([two])
  await say(alice, gateway, 'three')
  await waitFor(again.api, 2)
  const ids = (await again.api.updates('')).map(update => update.id)
  expect(Math.min(...ids)).toBeGreaterThan(one?.id ?? 0)
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
})

test('[R22] a poll waits for the first update and is answered with it', async () => {
  await using world = await World.open()
  const { gateway, alice, api, offset } = await chatting(world)
  const polling = api.updates(`offset=${offset}&timeout=60`)
  await say(alice, gateway, 'wake up')
  expect(texts(await polling)).toEqual(['wake up'])
})

test('[R22] several polls are answered by one update', async () => {
  await using world = await World.open()
  const { gateway, alice, api, offset } = await chatting(world)
  const polls = [1, 2, 3].map(() => api.updates(`offset=${offset}&timeout=60`))
  await say(alice, gateway, 'for all')
  for (const answer of await Promise.all(polls)) expect(texts(answer)).toEqual(['for all'])
})

test('[R23] without a timeout a poll does not wait; with one it is answered empty when the time is up', async () => {
  await using world = await World.open()
  const clock = new ManualClock(Date.now())
  const { api, offset } = await chatting(world, clock)
  expect(await api.updates(`offset=${offset}`)).toEqual([])
  const before = clock.timerCount
  const polling = api.updates(`offset=${offset}&timeout=60`)
  await waiting(() => clock.timerCount > before)
  clock.advance(59_999)
  const state = await Promise.race([polling, api.get('/healthz')])
  expect(state).toHaveProperty('status', 200)
  clock.advance(1)
  expect(await polling).toEqual([])
})

test('[R24] a caller that goes away gives its place back', async () => {
  await using world = await World.open()
  const clock = new ManualClock(Date.now())
  const { api, offset } = await chatting(world, clock)
  const before = clock.timerCount
  const gone = new AbortController()
  const polling = api.get(`/v1/updates?offset=${offset}&timeout=60`, gone.signal).catch(() => 'gone')
  await waiting(() => clock.timerCount === before + 1)
  gone.abort()
  expect(await polling).toBe('gone')
  await waiting(() => clock.timerCount === before)
})

test('[R25] UPDATES=off answers 409 and keeps nothing', async () => {
  await using world = await World.open()
  const clock = new ManualClock(Date.now())
  const gateway = await world.onlineGateway({ UPDATES: 'off' }, { clock })
  const alice = await world.person('alice')
  await openByLink(alice, gateway.api)
  await say(alice, gateway, 'unread')
  const answer = await gateway.api.get('/v1/updates')
  expect([answer.status, answer.body]).toEqual([409, { code: 'webhook', error: expect.stringMatching(/UPDATES=off/) }])
  const { journal } = gateway.client
  await waiting(() => journal.read(0, 10).length > 1)
  clock.advance(1000)
  await waiting(() => journal.read(0, 10).length === 0)
  await gateway.stop()
  const polled = await world.onlineGateway()
  expect(await polled.api.updates('')).toEqual([])
})

test('[R26] a stop answers those who wait at once, and cuts nobody', async () => {
  await using world = await World.open()
  const { gateway, alice, api, offset } = await chatting(world)
  const polls = [1, 2].map(() => api.updates(`offset=${offset}&timeout=60`))
  await api.get('/healthz')
  const sending = api.post(`/v1/chats/${alice.account}/messages`, { text: 'a last word' })
  await api.get('/healthz')
  const [answers, sent] = await Promise.all([Promise.all(polls), sending, gateway.stop()])
  expect(answers).toEqual([[], []])
  expect(sent.status).toBe(200)
  await expect(api.get('/healthz')).rejects.toThrow()
})

/** Looks again at every turn of the event loop: no time has to pass for what is waited for. */
async function waiting(until: () => boolean): Promise<void> {
  while (!until()) await new Promise(resolve => setImmediate(resolve))
}
