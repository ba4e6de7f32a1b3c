// Named readers: places of their own in the updates, in every mode, that nobody else notices.
import type { Update, UpdateReader } from '@postern/bot-api'
import { CodedError, gatewayLimits } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { readers, reading, texts } from './reading.ts'
import { badRequest, notFound } from './talking.ts'

const DAY_MS = 86_400_000

const test = base.extend('reading', ({ world, alice }) => reading(world, alice))

describe('places', () => {
  test('[GATEWAY-5.11] a reader begins now, reads until it confirms, and disturbs nobody', async ({
    reading: { api, say },
  }) => {
    await say('before')
    expect(await api.updates('reader=tap')).toEqual([])
    await say('one', 'two')
    const all = await api.updates()
    expect(texts(all)).toEqual(['chat', 'before', 'one', 'two'])
    const mine = await api.updates('reader=tap')
    expect(mine).toEqual(all.slice(2))
    expect(await api.updates('reader=tap&limit=1')).toEqual(mine.slice(0, 1))
    expect(await api.updates(`reader=tap&offset=${mine[1]?.id}`)).toEqual(mine.slice(1))
    expect(await api.updates()).toEqual(all)
    expect(await api.updates(`offset=${(all.at(-1)?.id ?? 0) + 1}`)).toEqual([])
    // The other queue is empty: what this reader needs is still there.
    expect(await api.updates('reader=tap')).toEqual(mine.slice(1))
    expect(await api.updates('reader=tap&offset=1000000')).toEqual([])
    expect(await api.updates('reader=tap&offset=1')).toEqual([])
  })

  test('[GATEWAY-5.11] with from=oldest it begins with what is kept for anybody, and only the first time', async ({
    reading: { gateway, api, say },
  }) => {
    await say('one', 'two')
    const all = await api.updates()
    await api.updates(`offset=${all[1]?.id}`)
    // Confirmed by everybody, and perhaps not removed yet: it does not come back.
    expect(await api.updates('reader=late&from=oldest')).toEqual(all.slice(1))
    await api.updates('reader=late&offset=1000000')
    expect(await api.updates('reader=late&from=oldest')).toEqual([])
    expect(gateway.client.journal.confirmed('operator')).toBe(all[0]?.id)
  })

  test('[GATEWAY-5.12] a place survives a restart, and is durable before it is answered', async ({
    world,
    reading: { gateway, api, say },
  }) => {
    await api.updates('reader=kept&types=message')
    await say('one', 'two')
    const [one] = await api.updates('reader=kept&types=message')
    const confirmed = await api.ok<UpdateReader>('POST', '/v1/readers/kept', { offset: (one?.id ?? 0) + 1 })
    expect(confirmed).toEqual({ name: 'kept', offset: (one?.id ?? 0) + 1, pending: 1, dropped: 0, types: ['message'] })
    await world.closeGateway(gateway)
    const again = await onlineGateway(world)
    expect(await readers(again.api)).toEqual([confirmed])
    expect(texts(await again.api.updates('reader=kept'))).toEqual(['two'])
  })

  test('[GATEWAY-5.12] while the disk is full nothing is confirmed or created, and everything can be read', async ({
    reading: { gateway, api, say },
  }) => {
    await api.updates('reader=kept')
    await say('one')
    const [one] = await api.updates('reader=kept')
    const { store } = gateway.client.journal
    const write = store.write.bind(store)
    store.write = () => Promise.reject(new CodedError('storage-full'))
    const full = { status: 503, body: { code: 'unavailable', error: expect.stringMatching(/disk is full/) } }
    const offset = (one?.id ?? 0) + 1
    expect(await api.call('POST', '/v1/readers/kept', { json: { offset } })).toEqual(full)
    expect(await api.call('GET', `/v1/updates?reader=kept&offset=${offset}`)).toEqual(full)
    expect(await api.call('GET', '/v1/updates?reader=new')).toEqual(full)
    expect(await api.call('DELETE', '/v1/readers/kept')).toEqual(full)
    expect(await api.updates('reader=kept')).toEqual([one])
    store.write = write
    expect(await api.updates(`reader=kept&offset=${offset}`)).toEqual([])
    expect((await readers(api)).map(({ name }) => name)).toEqual(['kept'])
  })

  test('[GATEWAY-5.12] of two programs under one name each reads everything, and the furthest confirmation counts', async ({
    reading: { api, say },
  }) => {
    const poll = (query: string) => api.updates(`reader=twin&${query}`)
    // Both are the first to use the name.
    expect(await Promise.all([poll('timeout=0'), poll('timeout=0')])).toEqual([[], []])
    const waiting = [poll('timeout=60'), poll('timeout=60')]
    await say('one')
    for (const updates of await Promise.all(waiting)) expect(texts(updates)).toEqual(['one'])
    await say('two', 'three')
    const ids = (await poll('')).map(({ id }) => id)
    expect(ids).toHaveLength(3)
    const [first = 0, second = 0, third = 0] = ids
    const rests = await Promise.all([third, first, second].map(id => poll(`offset=${id + 1}`)))
    expect(rests[0]).toEqual([])
    expect(texts(await poll(`offset=${first + 1}`))).toEqual([])
    expect(await readers(api)).toMatchObject([{ name: 'twin', offset: third + 1, pending: 0 }])
  })

  test('[GATEWAY-5.3] a poll of a reader waits for its first update', async ({ reading: { api, say } }) => {
    await api.updates('reader=a')
    const polls = ['reader=a', 'reader=b', 'reader=a&types=message'].map(query => api.updates(`${query}&timeout=60`))
    await expect.poll(async () => (await readers(api)).length, SOON).toBe(2)
    await say('wake up')
    for (const poll of polls) expect(texts(await poll)).toEqual(['wake up'])
  })
})

describe('modes', () => {
  test('[GATEWAY-5.13] readers work beside a webhook, which still refuses polls without a name', async ({
    world,
    alice,
    receiver,
  }) => {
    const env = { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: 's' }
    const { api, say } = await reading(world, alice, { env })
    await api.updates('reader=tap')
    await say('one', 'two')
    await expect.poll(() => receiver.texts, SOON).toEqual(['chat', 'one', 'two'])
    expect(texts(await api.updates('reader=tap'))).toEqual(['one', 'two'])
    for (const query of ['', '?types=message', '?types=x', '?readers=tap'])
      expect((await api.get(`/v1/updates${query}`)).status).toBe(409)
    expect((await api.get('/v1/updates?reader=')).status).toBe(400)
  })

  test('[GATEWAY-5.13] and with UPDATES=off, where nothing else is kept', async ({ clock, world, alice }) => {
    const { gateway, api, say } = await reading(world, alice, { env: { UPDATES: 'off' }, clock })
    await api.updates('reader=tap')
    await say('one')
    clock.advance(1000)
    await expect.poll(() => gateway.client.journal.confirmed('operator'), SOON).toBe(2)
    expect(texts(await api.updates('reader=tap'))).toEqual(['one'])
    expect((await api.get('/v1/updates')).status).toBe(409)
    await api.ok('DELETE', '/v1/readers/tap')
    expect(gateway.client.journal.read(0, 10)).toEqual([])
  })
})

describe('types', () => {
  test('[GATEWAY-5.14] only these types come, and the others count as confirmed', async ({
    alice,
    reading: { gateway, api, say },
  }) => {
    await api.updates('reader=edits&types=edited')
    await say('one')
    expect(await api.updates('reader=edits&types=edited')).toEqual([])
    expect(await api.updates('reader=edits')).toEqual([])
    await say('two')
    const [, , { message } = {} as never] = (await api.updates()) as Extract<Update, { type: 'message' }>[]
    await alice.client.messages.edit(gateway.client.account as never, { message: message.id, text: 'three' }, WITHIN)
    await expect.poll(() => gateway.client.journal.newest(), SOON).toBe(4)
    expect(texts(await api.updates('reader=edits&types=edited,button'))).toEqual(['edited'])
    // The message before it was passed.
    expect(texts(await api.updates('reader=edits'))).toEqual(['edited'])
    await say('four')
    expect(texts(await api.updates('reader=edits'))).toEqual(['edited', 'four'])
    const [reader] = await readers(api)
    expect(reader).toMatchObject({ pending: 2 })
    expect(reader).not.toHaveProperty('types')
  })

  test('[GATEWAY-5.14] they filter the queue without a name, too, for those who ask for it', async ({
    reading: { api, say },
  }) => {
    await say('one')
    const [opened, one] = await api.updates()
    const filtered = await api.get('/v1/updates?types=message', { method: 'HEAD' })
    expect(filtered.headers.get('content-length')).toBe(String(Buffer.byteLength(JSON.stringify([one]))))
    expect(await api.updates()).toEqual([opened, one])
    expect(await api.updates('types=message')).toEqual([one])
    expect(await api.updates()).toEqual([one])
    expect(await api.updates(`types=message&offset=${(one?.id ?? 0) + 1}`)).toEqual([])
    await say('two')
    expect(await api.updates('types=edited')).toEqual([])
    expect(await api.updates()).toEqual([])
  })

  test('[GATEWAY-5.14] a poll waits for an update of its types', async ({ alice, reading: { gateway, api, say } }) => {
    const waiting = api.updates('reader=a&types=reaction&timeout=60')
    await expect.poll(async () => (await readers(api)).length, SOON).toBe(1)
    await say('one')
    // It has seen the message and still waits.
    await expect.poll(async () => (await readers(api))[0]?.offset, SOON).toBe(3)
    const [, { message } = {} as never] = (await api.updates()) as Extract<Update, { type: 'message' }>[]
    await alice.client.messages.react(gateway.client.account as never, { message: message.id, emoji: '👍' }, WITHIN)
    expect(texts(await waiting)).toEqual(['reaction'])
  })
})

describe('limits', () => {
  test('[GATEWAY-5.15] names, types, the start and the offset have rules, and a refused request creates nothing', async ({
    reading: { api },
  }) => {
    const name = badRequest('reader: must have 1 to 32 characters of a-z, 0-9, _ and -.')
    for (const wrong of ['', 'Tap', 'a b', 'é', 'a'.repeat(33), 'a/b', 'named:x', 'a&reader=b'])
      expect(
        await api.call('GET', `/v1/updates?reader=${wrong === 'a&reader=b' ? wrong : encodeURIComponent(wrong)}`),
      ).toEqual(name)
    for (const wrong of ['', 'message,', ',', 'Message', 'message,call', 'receipt', 'message message'])
      expect(await api.call('GET', `/v1/updates?reader=a&types=${encodeURIComponent(wrong)}`)).toEqual(
        badRequest(/^types: must be types of updates, separated by commas: message, edited, /),
      )
    expect(await api.call('GET', '/v1/updates?reader=a&from=then')).toEqual(badRequest('from: must be now or oldest.'))
    expect(await api.call('GET', '/v1/updates/stream')).toEqual(name)
    expect(await api.call('GET', '/v1/updates/stream?reader=a', { headers: { 'last-event-id': 'x' } })).toEqual(
      badRequest('last-event-id: must be a whole number of at least 0.'),
    )
    for (const offset of [undefined, -1, 1.5, '3', 2 ** 53])
      expect(await api.call('POST', '/v1/readers/a', { json: { offset } })).toEqual(
        badRequest('offset: must be a whole number of at least 0.'),
      )
    for (const unknown of ['a', 'operator', 'hooks', 'A', '%2F']) {
      const missing = notFound(/^There is no reader /)
      expect(await api.call('POST', `/v1/readers/${unknown}`, { json: { offset: 0 } })).toEqual(missing)
      expect(await api.call('DELETE', `/v1/readers/${unknown}`)).toEqual(missing)
    }
    expect((await api.get('/v1/updates?reader=a', { method: 'HEAD' })).headers.get('content-length')).toBe('2')
    expect((await api.get('/v1/updates/stream?reader=a', { method: 'HEAD' })).status).toBe(200)
    expect(await readers(api)).toEqual([])
  })

  test('[GATEWAY-5.15] there are eight, also when all come at the same moment, and a deleted one makes space', async ({
    reading: { api },
  }) => {
    const names = Array.from({ length: gatewayLimits.readersMax + 3 }, (_, at) => `r${at}`)
    const answers = await Promise.all(names.map(name => api.call('GET', `/v1/updates?reader=${name}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)
    const refused = names.find((_, at) => answers[at]?.status !== 200)
    expect(await api.call('GET', `/v1/updates?reader=${refused}`)).toEqual(
      badRequest('There are already 8 readers. Delete one that you no longer need.'),
    )
    const [first] = await readers(api)
    expect(await api.ok('DELETE', `/v1/readers/${first?.name}`)).toEqual({})
    expect(await api.updates(`reader=${refused}`)).toEqual([])
    expect(await readers(api)).toHaveLength(8)
  })

  test('[GATEWAY-5.16] a deleted reader keeps nothing, its waiting poll is refused, and its name begins again', async ({
    clock,
    world,
    alice,
  }) => {
    // The time of the poll is never up.
    const { gateway, api, say } = await reading(world, alice, { clock })
    await api.updates('reader=a')
    await say('one')
    await api.updates('offset=1000000')
    expect(gateway.client.journal.read(0, 10)).toHaveLength(1)
    const waiting = api.call('GET', '/v1/updates?reader=a&offset=1000000&timeout=60')
    await expect.poll(async () => (await readers(api))[0]?.pending, SOON).toBe(0)
    await api.ok('DELETE', '/v1/readers/a')
    expect(await waiting).toEqual(notFound(/^There is no reader a\.$/))
    expect(gateway.client.journal.read(0, 10)).toEqual([])
    expect(await api.updates('reader=a')).toEqual([])
  })
})

describe('readers that are behind', () => {
  test('[GATEWAY-5.17] after 24 hours a reader loses what it has not confirmed, learns how many, and delays nobody', async ({
    clock,
    world,
    alice,
  }) => {
    const { gateway, api, say } = await reading(world, alice, { clock })
    for (const query of ['reader=stuck', 'reader=edits&types=edited', 'reader=live']) await api.updates(query)
    await say('one', 'two')
    await api.updates('reader=live&offset=1000000')
    clock.leap(DAY_MS + 120_000)
    await expect.poll(async () => (await readers(api)).map(({ dropped }) => dropped), SOON).toEqual([0, 0, 2])
    expect(gateway.client.journal.read(0, 10)).toEqual([])
    const told = async (query: string) => {
      const answer = await api.get(`/v1/updates?${query}`)
      return [answer.headers.get('updates-dropped'), texts((await answer.json()) as Update[])]
    }
    expect(await told('reader=live')).toEqual([null, []])
    // An update of another type counts as confirmed: nothing was lost.
    expect(await told('reader=edits&types=edited')).toEqual([null, []])
    expect(await told('reader=stuck')).toEqual(['2', []])
    // An old confirmation says nothing about what was lost meanwhile.
    expect(await told('reader=stuck&offset=2')).toEqual(['2', []])
    const metrics = await (await api.get('/v1/metrics')).text()
    expect(metrics).toContain('\npostern_reader_updates_dropped_total 2\n')
    await world.closeGateway(gateway)
    const again = await onlineGateway(world)
    expect(await readers(again.api)).toMatchObject([{ dropped: 0 }, { dropped: 0 }, { name: 'stuck', dropped: 2 }])
  })

  test('[GATEWAY-5.17] the loss is reported until the reader confirms an update after it', async ({
    clock,
    world,
    alice,
  }) => {
    const { gateway, api, say } = await reading(world, alice, { clock })
    await api.updates('reader=a')
    await say('lost')
    clock.leap(DAY_MS + 120_000)
    await expect.poll(async () => (await readers(api))[0]?.dropped, SOON).toBe(1)
    // The connection does not survive the leap.
    const returned = gateway.client.whenOnline({ timeoutMs: 3_600_000 })
    clock.leap(600_000)
    await returned
    await say('kept')
    const [kept] = await api.updates('reader=a')
    expect((await readers(api))[0]).toMatchObject({ dropped: 1, pending: 1 })
    await api.ok('POST', '/v1/readers/a', { offset: (kept?.id ?? 0) + 1 })
    expect((await readers(api))[0]).toMatchObject({ dropped: 0, pending: 0 })
    expect((await api.get('/v1/updates?reader=a')).headers.get('updates-dropped')).toBeNull()
  })
})
