// The calls of the API: parameters, errors, retries and files.
import { passWhenAwaited, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { Bot } from '../src/index.ts'
import { test as base, updateOf } from './fixtures.ts'

/** The gateway knows Alice's chat. */
const test = base.extend('met', async ({ alice, chat, gateway }) => {
  await alice.say(chat, 'hello')
  await updateOf(gateway, 'hello')
  return { chat }
})

type Fault = 'lost answer' | 'no connection' | { status: number; headers?: Record<string, string> }

/** Real requests, of which the first ones fail. Collects the keys of sends. */
function faulty(faults: Fault[], keys: (string | null)[]): typeof fetch {
  return async (url, init) => {
    const { method } = init ?? {}
    if (method !== 'POST') return await fetch(url, init)
    keys.push(new Headers(init?.headers).get('idempotency-key'))
    const fault = faults.shift()
    if (fault === undefined) return await fetch(url, init)
    if (typeof fault === 'object') return new Response('{}', fault)
    if (fault === 'lost answer') await (await fetch(url, init)).arrayBuffer()
    throw new TypeError('fetch failed')
  }
}

test('[SDK-1.1] each parameter is in its place, and a refusal has its status and code', async ({
  address,
  alice,
  chat,
  gateway,
}) => {
  const { api } = new Bot({ ...address, url: `${address.url}/` })
  const said = await alice.say(chat, 'one')
  await expect.poll(async () => (await api.listMessages({ chat: alice.id, limit: 1 }))[0]?.id).toBe(said.id)
  expect(await api.getMe()).toMatchObject({ id: gateway.client.account, name: 'bot' })
  await api.setReaction({ chat: alice.id, msg: said.id, emoji: '👍' })
  expect((await api.getMessage({ chat: alice.id, msg: said.id })).reactions).toMatchObject([{ emoji: '👍' }])
  expect(await api.getMetrics()).toContain('# TYPE')
  await expect(api.getChat({ chat: 'no such/chat?' })).rejects.toMatchObject({
    name: 'ApiError',
    status: 404,
    code: 'not_found',
  })
  await expect(api.getChat({ chat: '' })).rejects.toThrow('chat: must be a text that is not empty')
})

describe('retries', () => {
  test.for<{ title: string; faults: Fault[]; waitsMs: number[] }>([
    { title: 'a lost answer', faults: ['lost answer'], waitsMs: [500] },
    { title: 'no connection, twice', faults: ['no connection', 'no connection'], waitsMs: [500, 1000] },
    { title: '502 without a time', faults: [{ status: 502 }], waitsMs: [500] },
    { title: '503 with a time', faults: [{ status: 503, headers: { 'retry-after': '7' } }], waitsMs: [7000] },
  ])(
    '[SDK-1.2] after $title the call is repeated under its key, and sent once',
    async ({ faults, waitsMs }, { address, alice, met: { chat }, clock }) => {
      const keys: (string | null)[] = []
      const { api } = new Bot({ ...address, clock, random: () => 1, fetch: faulty([...faults], keys) })
      let work: Promise<unknown> = api.sendMessage({ chat: alice.id, text: 'once' })
      const done = work
      for (const ms of waitsMs) work = passWhenAwaited(clock, ms, work)
      await work
      await done
      await alice.hears('once')
      expect(alice.texts(chat)).toEqual(['hello', 'once'])
      expect(keys).toHaveLength(faults.length + 1)
      expect(new Set(keys).size).toBe(1)
    },
  )

  test('[SDK-1.2] it ends after the time that the bot allows', async ({ address, clock }) => {
    const keys: (string | null)[] = []
    const faults: Fault[] = Array.from({ length: 100 }, () => 'no connection')
    const { api } = new Bot({ ...address, clock, random: () => 1, retryForMs: 2000, fetch: faulty(faults, keys) })
    const work = api.sendMessage({ chat: 'x', text: 'never' }).catch((error: unknown) => error)
    const error = await passWhenAwaited(clock, 1000, passWhenAwaited(clock, 500, work))
    expect(error).toMatchObject({ name: 'ConnectionError' })
    expect(keys).toHaveLength(3)
  })

  test('[SDK-1.2] a refusal is not repeated', async ({ address }) => {
    for (const status of [400, 401, 404, 409, 429, 500]) {
      const keys: (string | null)[] = []
      const { api } = new Bot({ ...address, fetch: faulty([{ status }], keys) })
      await expect(api.sendMessage({ chat: 'x', text: 'no' })).rejects.toMatchObject({ status, code: 'unknown' })
      expect(keys).toHaveLength(1)
    }
  })
})

describe('files', () => {
  const bytes = new TextEncoder().encode('the same words again, '.repeat(50_000))
  const half = bytes.length / 2

  test.for([
    { title: 'bytes', source: () => bytes },
    { title: 'a Blob', source: () => new Blob([bytes]) },
    { title: 'a stream', source: () => new Blob([bytes]).stream() },
    {
      title: 'an iterable',
      async *source() {
        yield bytes.subarray(0, half)
        yield bytes.subarray(half)
      },
    },
    { title: 'a function', source: () => () => new Blob([bytes]).stream() },
  ])(
    '[SDK-1.3] $title arrives under its name, and comes back as a stream',
    async ({ source }, { address, alice, met: { chat } }) => {
      const { api } = new Bot(address)
      const name = `"; name="caption"; ö'*%22 (1)\uD800.txt`
      const sent = await api.sendFile({
        chat: alice.id,
        file: source(),
        name,
        caption: 'here',
        silent: true,
        entities: [{ type: 'bold', offset: 0, length: 4 }],
      })
      const { message } = await alice.next('message')
      expect(message).toMatchObject({
        text: 'here',
        silent: true,
        entities: [{ type: 'bold' }],
        file: { size: bytes.length },
      })
      expect(message.file?.name).toContain("ö'*%22 (1)")
      const download = await api.getFile({ chat: alice.id, msg: sent.id })
      expect(download.size).toBe(bytes.length)
      expect(await download.bytes()).toEqual(bytes)
      const own = Buffer.concat(await Array.fromAsync((await alice.client.files.open(chat, message.id, WITHIN)).read()))
      expect(own.equals(bytes)).toBe(true)
    },
  )

  test('[SDK-1.3] a file that can be read again is repeated after a fault; a stream is not', async ({
    address,
    alice,
    met,
    clock,
  }) => {
    expect(met).toBeDefined()
    const keys: (string | null)[] = []
    const faults: Fault[] = ['no connection']
    const { api } = new Bot({ ...address, clock, random: () => 1, fetch: faulty(faults, keys) })
    const work = api.sendFile({ chat: alice.id, file: () => new Blob([bytes]).stream(), name: 'a.txt' })
    await passWhenAwaited(clock, 500, work)
    expect(new Set(keys).size).toBe(1)
    faults.push('no connection')
    const once = api.sendFile({ chat: alice.id, file: new Blob([bytes]).stream(), name: 'b.txt' })
    await expect(once).rejects.toMatchObject({ name: 'ConnectionError' })
    expect(keys).toHaveLength(3)
  })
})
