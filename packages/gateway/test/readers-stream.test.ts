// Server-sent events: every update once on a connection, resumed after the last one, beside slow consumers and lost connections.
import { once } from 'node:events'
import { connect } from 'node:net'
import { silentLog } from '@postern/core'
import { gatewayLimits, privateChatId } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { EventStream } from '@postern/testkit/event-stream'
import { expect, onTestFinished } from 'vitest'
import { UpdateReaders } from '../src/updates/readers.ts'
import { onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { readers, reading, texts } from './reading.ts'

const DAY_MS = 86_400_000

const test = base.extend('reading', ({ world, alice }) => reading(world, alice))

test('[GATEWAY-5.18] a stream has what waits and what comes, in order; it confirms nothing', async ({
  reading: { gateway, api, say },
}) => {
  await api.updates('reader=a')
  await say('one', 'two')
  const stream = await EventStream.open(gateway, 'reader=a')
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.response.headers.get('cache-control')).toBe('no-store')
  const first = [await stream.update(), await stream.update()]
  expect(stream.asides).toEqual([`retry: ${gatewayLimits.streamRetryMs}`])
  await say('three')
  const all = [...first, await stream.update()]
  expect(texts(all)).toEqual(['one', 'two', 'three'])
  expect(await api.updates('reader=a')).toEqual(all)
  await api.ok('POST', '/v1/readers/a', { offset: (all[1]?.id ?? 0) + 1 })
  const next = await EventStream.open(gateway, 'reader=a')
  expect(await next.update()).toEqual(all[2])
  stream.leave()
  next.leave()
  await expect
    .poll(async () => await (await api.get('/v1/metrics')).text(), SOON)
    .toContain('\npostern_update_streams 0\n')
})

test('[GATEWAY-5.18] more updates than a page holds, of some types, and text that looks like another event', async ({
  reading: { gateway, api, say },
}) => {
  await api.updates('reader=a')
  const said = [
    'one\n\nid: 9\ndata: {}',
    'two\r\rthree',
    'four\u2028five',
    ...Array.from({ length: 30 }, (_, at) => `${at}`),
  ]
  await say(...said)
  const stream = await EventStream.open(gateway, 'reader=a&types=message')
  const none = await EventStream.open(gateway, 'reader=b&types=button&from=oldest')
  for (const text of said) expect(texts([await stream.update()])).toEqual([text])
  expect(await none.aside()).toBe('retry: 1000')
  await api.ok('DELETE', '/v1/readers/b')
  expect(await none.next()).toBeUndefined()
  stream.leave()
})

test('[GATEWAY-5.19] Last-Event-ID resumes after that update: nothing is lost and nothing comes twice', async ({
  world,
  alice,
  reading: { gateway, api, say },
}) => {
  await api.updates('reader=a')
  await say('one', 'two', 'three')
  const stream = await EventStream.open(gateway, 'reader=a')
  const one = await stream.update()
  stream.leave()
  const resumed = await EventStream.open(gateway, 'reader=a', one.id)
  const two = await resumed.update()
  expect(texts([two])).toEqual(['two'])
  expect(texts([await resumed.update()])).toEqual(['three'])
  const ended = resumed.next()
  await world.closeGateway(gateway)
  // A stop ends the stream in order: the consumer is not cut.
  expect(await ended).toBeUndefined()
  const again = await onlineGateway(world)
  const after = await EventStream.open(again.gateway, 'reader=a', two.id)
  expect(texts([await after.update()])).toEqual(['three'])
  // An id that was never used cannot hide an update that comes.
  const ahead = await EventStream.open(again.gateway, 'reader=a', Number.MAX_SAFE_INTEGER)
  expect(await ahead.aside()).toBe('retry: 1000')
  expect(await ahead.aside()).toMatch(/^id: /)
  // Confirmed updates do not come back.
  await again.api.ok('POST', '/v1/readers/a', { offset: two.id + 1 })
  const before = await EventStream.open(again.gateway, 'reader=a', 0)
  expect(texts([await before.update()])).toEqual(['three'])
  await alice.say(privateChatId(again.gateway.client.account), 'four')
  expect(texts([await ahead.update()])).toEqual(['four'])
  for (const one of [after, ahead, before]) one.leave()
})

test('[GATEWAY-5.20] all streams of a reader have every update, and one that leaves takes nothing along', async ({
  reading: { gateway, say },
}) => {
  const [left, stays] = await Promise.all([1, 2].map(() => EventStream.open(gateway, 'reader=a')))
  await say('one')
  expect(await left?.update()).toEqual(await stays?.update())
  left?.leave()
  await say('two')
  expect(texts([(await stays?.update()) as never])).toEqual(['two'])
  stays?.leave()
})

test('[GATEWAY-5.21] a stream that is silent has a heartbeat, also while updates of other types come', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, say } = await reading(world, alice, { clock })
  const stream = await EventStream.open(gateway, 'reader=a&types=button')
  expect(await stream.aside()).toBe('retry: 1000')
  const beats = async () => {
    await expect.poll(() => clock.isAwaited(gatewayLimits.streamHeartbeatMs), SOON).toBe(true)
    clock.advance(gatewayLimits.streamHeartbeatMs - 1)
    await say('of another type')
    await expect.poll(() => clock.isAwaited(1), SOON).toBe(true)
    clock.advance(1)
    expect(await stream.aside()).toBe(': heartbeat')
  }
  await beats()
  await beats()
  stream.leave()
})

test('[GATEWAY-5.22] a consumer that accepts nothing is cut off, and delays nobody', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api } = await reading(world, alice, { clock })
  await api.updates('reader=a')
  // More than the system takes for a consumer that does not read.
  await gateway.client.journal.store.write(database => {
    const json = JSON.stringify({ text: 'x'.repeat(64 * 1024) })
    for (let at = 0; at < 400; at++)
      database.run('INSERT INTO journal (ts, chat_id, json) VALUES (?, ?, ?)', clock.nowMs(), '', json)
  })
  const stuck = connect(gateway.port, '127.0.0.1').pause()
  // Otherwise a test that fails would wait for this connection at the stop.
  onTestFinished(() => void stuck.destroy())
  await once(stuck, 'connect')
  const head = `GET /v1/updates/stream?reader=a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`
  stuck.write(head)
  await expect.poll(() => clock.isAwaited(gatewayLimits.fileIdleMs), SOON).toBe(true)
  const live = await EventStream.open(gateway, 'reader=b&types=message')
  await alice.say(privateChatId(gateway.client.account), 'for others')
  expect(texts([await live.update()])).toEqual(['for others'])
  expect(texts(await api.updates('reader=b&types=message'))).toEqual(['for others'])
  live.leave()
  const streams = async () => /postern_update_streams (\d+)/.exec(await (await api.get('/v1/metrics')).text())?.[1]
  await expect.poll(streams, SOON).toBe('1')
  clock.advance(gatewayLimits.fileIdleMs)
  await expect.poll(streams, SOON).toBe('0')
})

test('[GATEWAY-5.17] a stream reports what its consumer has lost, once, before the next update', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api, say } = await reading(world, alice, { clock })
  await api.updates('reader=a')
  await say('one', 'two')
  const live = await EventStream.open(gateway, 'reader=a')
  const received = [await live.update(), await live.update()]
  clock.leap(DAY_MS + 120_000)
  await expect.poll(async () => (await readers(api))[0]?.dropped, SOON).toBe(2)
  const returned = gateway.client.whenOnline({ timeoutMs: 3_600_000 })
  clock.leap(600_000)
  await returned
  await say('three')
  const behind = await EventStream.open(gateway, 'reader=a')
  const resumed = await EventStream.open(gateway, 'reader=a', received[0]?.id)
  for (const stream of [behind, resumed]) {
    expect(await stream.next()).toEqual({ event: 'dropped', id: undefined, data: '{"dropped":2}' })
    expect(texts([await stream.update()])).toEqual(['three'])
  }
  // It has received both before they were dropped.
  expect(texts([await live.update()])).toEqual(['three'])
  for (const stream of [live, behind, resumed]) stream.leave()
})

test('[GATEWAY-5.15] more streams than there are places for are refused, and the queue without a name has its own', async ({
  reading: { gateway, api, say },
}) => {
  const readersOf = new UpdateReaders(gateway.client.journal, {
    clock: new ManualClock(),
    log: silentLog,
    console: 'off',
  })
  await readersOf.open({ name: 'a', types: undefined, from: 'now' })
  const gone = new AbortController()
  const streams = Array.from({ length: gatewayLimits.readerWaitsMax + 1 }, () =>
    readersOf.stream({ reader: 'a', types: undefined, after: undefined }, gone.signal),
  )
  const last = streams.pop()
  for (const stream of streams) await stream.next()
  await expect(last?.next()).rejects.toMatchObject({ code: 'rate-limited' })
  await say('one')
  expect(texts(await api.updates())).toEqual(['chat', 'one'])
  for (const stream of streams) await stream.return(undefined)
  const again = readersOf.stream({ reader: 'a', types: undefined, after: undefined }, gone.signal)
  expect((await again.next()).done).toBe(false)
  await again.return(undefined)
  readersOf.release()
})

test('[GATEWAY-5.26] a stream that begins with the next update names its place, where a consumer resumes', async ({
  reading: { gateway, api, say },
}) => {
  await api.updates('reader=a')
  await say('before')
  const begun = await EventStream.open(gateway, 'reader=a', Number.MAX_SAFE_INTEGER)
  expect(await begun.aside()).toBe('retry: 1000')
  const place = /^id: (\d+)$/.exec((await begun.aside()) ?? '')?.[1]
  begun.leave()
  await say('between')
  const resumed = await EventStream.open(gateway, 'reader=a', Number(place))
  expect(texts([await resumed.update()])).toEqual(['between'])
  resumed.leave()
})

const noStreams = '\npostern_update_streams 0\n'

test('[GATEWAY-16.11] a console that comes back misses nothing, and one that is gone leaves no reader', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api, say } = await reading(world, alice, { env: { CONSOLE: 'on' }, clock })
  const leave = async (stream: EventStream) => {
    stream.leave()
    await expect.poll(async () => await (await api.get('/v1/metrics')).text(), SOON).toContain(noStreams)
  }
  const open = await EventStream.open(gateway, 'reader=console', gateway.client.journal.newest())
  expect(await open.aside()).toBe('retry: 1000')
  clock.advance(gatewayLimits.consoleReaderGraceMs)
  await leave(open)
  await say('between')
  // The bot has it, and the queue without a name keeps it no longer.
  expect((await api.nextMessage()).message.text).toBe('between')
  await api.updates(`offset=${gateway.client.journal.newest() + 1}`)
  clock.advance(gatewayLimits.consoleReaderGraceMs - 1)
  const resumed = await EventStream.open(gateway, 'reader=console&from=oldest', gateway.client.journal.newest() - 1)
  expect(texts([await resumed.update()])).toEqual(['between'])
  clock.advance(gatewayLimits.consoleReaderGraceMs)
  expect(await readers(api)).toHaveLength(1)
  await leave(resumed)
  clock.advance(gatewayLimits.consoleReaderGraceMs)
  await expect.poll(() => readers(api), SOON).toEqual([])
})

test('[GATEWAY-16.11] the reader of a console survives a restart, and goes after a minute, also with the console off', async ({
  clock,
  world,
  alice,
}) => {
  const before = await reading(world, alice, { env: { CONSOLE: 'on' }, clock })
  const stream = await EventStream.open(before.gateway, 'reader=console')
  expect(await stream.aside()).toBe('retry: 1000')
  await before.api.updates('reader=archive')
  await world.closeGateway(before.gateway)
  const { api } = await onlineGateway(world, {}, { clock })
  expect(await readers(api)).toMatchObject([{ name: 'archive' }, { name: 'console' }])
  clock.advance(gatewayLimits.consoleReaderGraceMs)
  await expect.poll(async () => (await readers(api)).map(({ name }) => name), SOON).toEqual(['archive'])
  // With the console off, the name is nothing special.
  await api.updates('reader=console')
  clock.advance(gatewayLimits.consoleReaderGraceMs)
  expect(await readers(api)).toHaveLength(2)
})

test('[GATEWAY-16.12] what an open console has not confirmed for a day counts as lost nowhere', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api, say } = await reading(world, alice, { env: { CONSOLE: 'on' }, clock })
  await api.updates('reader=stuck')
  const stream = await EventStream.open(gateway, 'reader=console')
  await say('one')
  expect(texts([await stream.update()])).toEqual(['one'])
  clock.leap(DAY_MS + 120_000)
  await expect.poll(async () => (await readers(api)).map(({ dropped }) => dropped), SOON).toEqual([1, 1])
  expect(await (await api.get('/v1/metrics')).text()).toContain('\npostern_reader_updates_dropped_total 1\n')
  stream.leave()
})
