// Updates end to end: confirmation, waiting, and restarts.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Update } from '@postern/bot-api'
import { openDataDirectory } from '@postern/core/node'
import { CodedError, gatewayLimits, utf8 } from '@postern/protocol'
import { ManualClock, passWhenAwaited, type TestGateway, type TestPerson } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { UpdateQueue } from '../src/queue/update-queue.ts'
import { LongPoll } from '../src/updates/long-poll.ts'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'

const texts = (updates: Update[]) =>
  updates.map(update => (update.type === 'message' ? update.message.text : undefined))

async function say(person: TestPerson, { client }: TestGateway, ...words: string[]): Promise<void> {
  for (const text of words) await person.say(client.account as unknown as TestPerson['chatId'], text)
}

async function updatesOnceThereAre(api: Api, count: number): Promise<Update[]> {
  for (;;) {
    const found = await api.updates('timeout=60')
    if (found.length >= count) return found
  }
}

const test = base
  /** A gateway with one chat, whose opening is already confirmed. */
  .extend('chatting', ({ world }) => async (clock?: ManualClock) => {
    const { gateway, api } = await onlineGateway(world, {}, clock ? { clock } : {})
    const alice = await world.person('alice')
    await alice.openInvite((await api.me()).invite_url)
    const [opened] = await api.updates('timeout=60')
    const offset = (opened?.id ?? 0) + 1
    await api.updates(`offset=${offset}`)
    return { gateway, api, alice, offset }
  })
  .extend('poller', ({ chatting }) => async () => {
    const { gateway } = await chatting()
    const clock = new ManualClock()
    const poll = LongPoll.over(await UpdateQueue.open(gateway.client.journal), clock)
    const stay = new AbortController()
    const ask = (timeoutMs: number) => poll.answer({ offset: 0, limit: 100, timeoutMs }, { gone: stay.signal })
    /** No time has to pass for the expected change: only turns of the event loop. */
    const waiting = async (count: number) => {
      while (clock.timerCount !== count) await new Promise(resolve => setImmediate(resolve))
    }
    return { clock, poll, ask, waiting, leave: () => stay.abort() }
  })

test('[GATEWAY-5.1] updates come in order, again and again until they are confirmed', async ({ chatting }) => {
  const { gateway, alice, api } = await chatting()
  await say(alice, gateway, 'one', 'two', 'three')
  const all = await updatesOnceThereAre(api, 3)
  expect(texts(all)).toEqual(['one', 'two', 'three'])
  expect(await api.updates('offset=0')).toEqual(all)
  expect(await api.updates('limit=2')).toEqual(all.slice(0, 2))
  expect(await api.updates(`offset=${all[1]?.id}`)).toEqual(all.slice(1))
  expect(await api.updates()).toEqual(all.slice(1))
  // Going back finds nothing: confirmed updates are gone.
  expect(await api.updates(`offset=${all[0]?.id}`)).toEqual(all.slice(1))
})

test('[GATEWAY-5.1] an offset above the newest confirms all there is, and nothing that comes', async ({
  clock,
  chatting,
}) => {
  const { gateway, alice, api } = await chatting(clock)
  await say(alice, gateway, 'one')
  await updatesOnceThereAre(api, 1)
  const polling = api.updates('offset=1000000&timeout=40')
  await expect.poll(() => clock.isAwaited(40_000), SOON).toBe(true)
  await say(alice, gateway, 'two')
  expect(texts(await polling)).toEqual(['two'])
  expect(texts(await api.updates())).toEqual(['two'])
})

test('[GATEWAY-5.2] what is confirmed stays confirmed over a restart, and what is not comes again under its id', async ({
  world,
  chatting,
}) => {
  const { gateway, alice, api } = await chatting()
  await say(alice, gateway, 'one', 'two')
  const [, two] = await updatesOnceThereAre(api, 2)
  await api.updates(`offset=${two?.id}`)
  await world.closeGateway(gateway)
  const again = await onlineGateway(world)
  expect(await again.api.updates()).toEqual([two])
  await say(alice, gateway, 'three')
  const [first, second] = await updatesOnceThereAre(again.api, 2)
  expect(first).toEqual(two)
  expect(second?.id).toBeGreaterThan(two?.id ?? 0)
})

test('[GATEWAY-5.2] what a poll that waits has confirmed is on the disk before anybody is answered, also another', async ({
  world,
  chatting,
}) => {
  // It stands still: nothing is written because time has passed.
  const clock = new ManualClock(Date.now())
  const { gateway, alice, api } = await chatting(clock)
  await say(alice, gateway, 'one')
  const [one] = await updatesOnceThereAre(api, 1)
  const confirmedAfterKill = () => {
    const killed = join(world.directory, `killed-${performance.now()}`)
    cpSync(join(world.directory, 'gateway'), killed, { recursive: true })
    const database = openDataDirectory(killed)
    const row = database.get<{ confirmed: number }>("SELECT confirmed FROM reader WHERE name = 'operator'")
    database.close()
    return row?.confirmed ?? 0
  }
  const waiting = api.updates(`offset=${(one?.id ?? 0) + 1}&timeout=60`)
  await expect.poll(() => gateway.client.journal.confirmed('operator'), SOON).toBe(one?.id)
  expect(await api.updates()).toEqual([])
  expect(confirmedAfterKill()).toBe(one?.id)
  await say(alice, gateway, 'two')
  expect(texts(await waiting)).toEqual(['two'])
})

test('[GATEWAY-5.2] a poll that confirms nothing new writes nothing', async ({ chatting }) => {
  const { gateway, api, offset } = await chatting()
  const { journal } = gateway.client
  let writes = 0
  const confirm = journal.confirm.bind(journal)
  journal.confirm = async (...confirmation) => {
    writes++
    await confirm(...confirmation)
  }
  for (const query of ['', 'offset=0', `offset=${offset}`, `offset=${offset + 5}`]) await api.updates(query)
  expect(writes).toBe(0)
})

test('[GATEWAY-2.17] while the disk is full nothing is confirmed, and everything can still be read', async ({
  chatting,
}) => {
  const { gateway, alice, api } = await chatting()
  await say(alice, gateway, 'one')
  const [one] = await updatesOnceThereAre(api, 1)
  const { journal } = gateway.client
  const confirm = journal.confirm.bind(journal)
  journal.confirm = () => Promise.reject(new CodedError('storage-full'))
  const confirming = `/v1/updates?offset=${(one?.id ?? 0) + 1}`
  const refused = await api.get(confirming)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toEqual({ code: 'unavailable', error: expect.stringMatching(/disk is full/) })
  expect(await api.updates()).toEqual([one])
  expect((await api.get(`/v1/chats/${alice.id}/messages`)).status).toBe(200)
  journal.confirm = confirm
  expect(await (await api.get(confirming)).json()).toEqual([])
})

test('[GATEWAY-5.3] a poll waits for the first update and is answered with it, and so are all others', async ({
  chatting,
}) => {
  const { gateway, alice, api, offset } = await chatting()
  const polls = [1, 2, 3].map(() => api.updates(`offset=${offset}&timeout=60`))
  await api.get('/healthz')
  await say(alice, gateway, 'wake up')
  for (const answer of await Promise.all(polls)) expect(texts(answer)).toEqual(['wake up'])
})

describe('waiting', () => {
  test('[GATEWAY-5.4] a poll without a timeout does not wait', async ({ poller }) => {
    const { ask, clock } = await poller()
    expect(await ask(0)).toEqual(utf8('[]'))
    expect(clock.timerCount).toBe(0)
  })

  test('[GATEWAY-5.4] a poll is answered empty when its time is up, and not before', async ({ poller }) => {
    const { ask, clock, waiting } = await poller()
    const polling = ask(60_000)
    await waiting(1)
    clock.advance(59_999)
    await waiting(1)
    clock.advance(1)
    expect(await polling).toEqual(utf8('[]'))
    expect(clock.timerCount).toBe(0)
  })

  test('[GATEWAY-5.5] a caller that goes away gives its place back', async ({ poller }) => {
    const { ask, leave, waiting } = await poller()
    const polls = [ask(60_000), ask(60_000)]
    await waiting(2)
    leave()
    await waiting(0)
    expect(await Promise.all(polls)).toEqual([utf8('[]'), utf8('[]')])
  })

  test('[GATEWAY-5.5] more polls than there are places for are refused, not kept', async ({ poller }) => {
    const { ask, poll, waiting } = await poller()
    const polls = Array.from({ length: 1000 }, () => ask(60_000))
    await waiting(1000)
    await expect(ask(60_000)).rejects.toMatchObject({ code: 'rate-limited' })
    poll.release()
    await Promise.all(polls)
  })
})

test('[GATEWAY-2.6] HEAD neither confirms nor waits', async ({ chatting }) => {
  const { gateway, alice, api, offset } = await chatting(new ManualClock(Date.now()))
  const head = async (query: string) => {
    const { status, headers } = await api.get(`/v1/updates?${query}`, { method: 'HEAD' })
    return [status, headers.get('content-length')]
  }
  expect(await head(`offset=${offset}&timeout=60`)).toEqual([200, '2'])
  await say(alice, gateway, 'one', 'two')
  const all = await updatesOnceThereAre(api, 2)
  const length = (updates: Update[]) => String(Buffer.byteLength(JSON.stringify(updates)))
  expect(await head('')).toEqual([200, length(all)])
  expect(await head(`offset=${all[1]?.id}`)).toEqual([200, length(all.slice(1))])
  expect(await head(`offset=${Number.MAX_SAFE_INTEGER}`)).toEqual([200, '2'])
  expect(await head('limit=0')).toEqual([400, expect.any(String)])
  expect(await api.updates()).toEqual(all)
})

test('[GATEWAY-5.6] UPDATES=off answers 409 and keeps nothing', async ({ clock, world }) => {
  const { gateway, api } = await onlineGateway(world, { UPDATES: 'off' }, { clock })
  const alice = await world.person('alice')
  await alice.openInvite((await api.me()).invite_url)
  await say(alice, gateway, 'unread')
  const answer = await api.get('/v1/updates')
  expect(answer.status).toBe(409)
  expect(await answer.json()).toEqual({ code: 'webhook', error: expect.stringMatching(/UPDATES=off/) })
  for (const query of ['limit=0', 'offset=x', 'timeout=61', 'limit=&offset=-1'])
    expect((await api.get(`/v1/updates?${query}`)).status).toBe(409)
  const { journal } = gateway.client
  await expect.poll(() => journal.read(0, 10).length, SOON).toBe(2)
  clock.advance(1000)
  await expect.poll(() => journal.read(0, 10).length, SOON).toBe(0)
  await say(alice, gateway, 'unread at the stop')
  await expect.poll(() => journal.read(0, 10).length, SOON).toBe(1)
  await world.closeGateway(gateway)
  expect(await (await onlineGateway(world)).api.updates()).toEqual([])
})

test('[GATEWAY-5.10] a stop answers those who wait at once, and cuts nobody', async ({ world, chatting }) => {
  const { gateway, alice, api, offset } = await chatting()
  const polls = [1, 2].map(() => api.updates(`offset=${offset}&timeout=60`))
  const sending = api.send(alice.id, { text: 'a last word' })
  await api.get('/healthz')
  const [answers, sent] = await Promise.all([Promise.all(polls), sending, world.closeGateway(gateway)])
  expect(answers).toEqual([[], []])
  expect(sent.status).toBe(200)
  await alice.hears('a last word')
  await expect(api.get('/healthz')).rejects.toThrow('fetch failed')
})

test('[GATEWAY-5.10] a connection that nobody uses does not hold up a stop', async ({ clock, world }) => {
  const { gateway } = await onlineGateway(world, {}, { clock })
  const unused = connect(gateway.port, '127.0.0.1')
  await once(unused, 'connect')
  await gateway.api('GET', '/healthz')
  // The clock stands still: no timeout ends anything.
  await Promise.all([once(unused, 'close'), world.closeGateway(gateway)])
})

/** The client's own connection attempts wait as long as a send does: the clock does not tell which it is. */
async function requestArrives(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const start = 'http.server.request.start'
  const told = () => resolve()
  subscribe(start, told)
  await promise
  unsubscribe(start, told)
}

test('[GATEWAY-5.10] a send that waits for the relay at the stop is told 503, not cut', async ({
  clock,
  world,
  chatting,
}) => {
  const { gateway, alice, api } = await chatting(clock)
  gateway.wire.cut()
  const arrived = requestArrives()
  const sending = api.send(alice.id, { text: 'waits' })
  await arrived
  await expect.poll(() => clock.isAwaited(gatewayLimits.sendWithinMs), SOON).toBe(true)
  const stopped = world.closeGateway(gateway)
  expect((await passWhenAwaited(clock, gatewayLimits.requestsEndWithinMs, sending)).status).toBe(503)
  await stopped
})
