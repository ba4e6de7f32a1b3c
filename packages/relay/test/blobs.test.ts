// Complete blobs over HTTP: ranges, deletion, and sweeping.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'
import { bearer, begin, beginLimited, bodyOf, put } from './put-blob.ts'
import { arrive, temporaryDirectory, testRelay } from './relay-fixture.ts'

describe('downloading', () => {
  const data = randomBytes(1000)
  const uploaded = async () => {
    const relay = await testRelay()
    const begun = await begin(relay, await arrive(relay), data.length)
    await put(begun, data, 0)
    return begun.url
  }

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=990-', 990, 999],
    ['bytes=990-5000', 990, 999],
    ['bytes=-5', 995, 999],
    ['bytes=-5000', 0, 999],
  ])('[RELAY-3.4] the range %s', async (range, start, end) => {
    const response = await fetch(await uploaded(), { headers: { Range: range } })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/1000`)
    expect(await bodyOf(response)).toEqual(data.subarray(start, end + 1))
  })

  test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])(
    '[RELAY-3.4] the range %s is behind the end',
    async range => {
      const response = await fetch(await uploaded(), { headers: { Range: range } })
      expect(response.status).toBe(416)
      expect(response.headers.get('content-range')).toBe('bytes */1000')
      expect(await response.json()).toEqual({
        error: 'Range: must begin within the blob, which has 1000 bytes.',
        code: 'bad-field',
      })
    },
  )

  test.each(['bytes=20-10', 'bytes=1-2,5-6', 'lines=1-2', 'bytes=-'])('[RELAY-3.4] %s is ignored', async range => {
    const response = await fetch(await uploaded(), { headers: { Range: range } })
    expect(response.status).toBe(200)
    expect(await bodyOf(response)).toEqual(data)
  })

  test('[RELAY-3.4] a head without a token tells the length, whatever range it asks for', async () => {
    const url = await uploaded()
    for (const headers of [{}, { Range: 'bytes=0-9' }, { Range: 'bytes=1000-' }]) {
      const response = await fetch(url, { method: 'HEAD', headers })
      expect([response.status, response.headers.get('content-length')]).toEqual([200, '1000'])
    }
  })

  test('[RELAY-3.7] other origins may read, and ask first', async () => {
    const url = await uploaded()
    expect((await fetch(url)).headers.get('access-control-allow-origin')).toBe('*')
    const preflight = await fetch(url, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Upload-Offset')
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  })
})

describe('the end of a blob', () => {
  const filesIn = (directory: string): string[] =>
    existsSync(directory)
      ? readdirSync(directory, { recursive: true, withFileTypes: true })
          .filter(entry => entry.isFile())
          .map(entry => entry.name)
      : []

  test('[RELAY-3.5] only its owner deletes it', async () => {
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const begun = await begin(relay, alice, 10)
    await put(begun, randomBytes(10), 0)
    const blob = begun.blob as never
    await expect(bob.call('deleteBlob', { blob })).rejects.toMatchObject({ code: 'blob-unknown' })
    expect((await fetch(begun.url)).status).toBe(200)
    await alice.call('deleteBlob', { blob })
    expect((await fetch(begun.url)).status).toBe(404)
    await expect(alice.call('deleteBlob', { blob })).rejects.toMatchObject({ code: 'blob-unknown' })
    expect(filesIn(join(dataDirectory, 'blobs'))).toEqual([])
  })

  test('[RELAY-1.34] unfinished and old ones are swept, their bytes too', async () => {
    const clock = new ManualClock()
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ clock, dataDirectory, limits: { sweepEveryMs: 1000 } })
    const alice = await arrive(relay)
    const [unfinished, complete] = [await begin(relay, alice, 20), await begin(relay, alice, 10)]
    await put(unfinished, randomBytes(10), 0)
    await put(complete, randomBytes(10), 0)
    const files = join(dataDirectory, 'blobs')
    expect(filesIn(files)).toHaveLength(2)
    const sweptTo = async (count: number) => {
      // Advance the clock meanwhile: a running sweep sets its next timer only when it is done.
      for (; filesIn(files).length !== count; await nextTurn()) clock.advance(1000)
      return filesIn(files)
    }
    clock.advance(86_400_000 + 1000)
    expect(await sweptTo(1)).toEqual([complete.blob])
    const gone = async () =>
      (await fetch(unfinished.url, { method: 'HEAD', headers: bearer(unfinished) })).status === 404
    while (!(await gone())) await nextTurn()
    expect((await put(unfinished, randomBytes(10), 10)).status).toBe(404)
    clock.advance(30 * 86_400_000)
    expect(await sweptTo(0)).toEqual([])
    while ((await fetch(complete.url)).status !== 404) await nextTurn()
  })
})

describe('a blob that its owner has limited', () => {
  const data = randomBytes(1000)
  const tokens = { first: 'a'.repeat(43), second: 'b'.repeat(43) }
  const by = (token: string, range?: string) => ({
    headers: { 'Fetch-Token': token, ...(range !== undefined && { Range: range }) },
  })

  const limited = async (limits: { lifetimeMs?: number; fetches?: number }, clock?: ManualClock) => {
    const relay = await testRelay({ ...(clock && { clock }) })
    const alice = await arrive(relay)
    const begun = await beginLimited(relay, alice, { size: data.length, ...limits })
    await put(begun, data, 0)
    return { ...begun, alice }
  }

  test('[RELAY-3.19] is gone when its lifetime is over, before any sweep', async () => {
    const clock = new ManualClock()
    const { url } = await limited({ lifetimeMs: 600_000 }, clock)
    clock.advance(599_999)
    expect(await bodyOf(await fetch(url))).toEqual(data)
    clock.advance(1)
    for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(404)
  })

  test('[RELAY-3.20] has one fetcher, who may resume, and is gone for everybody else', async () => {
    const { url } = await limited({ fetches: 1 })
    // Neither a HEAD nor a request without a valid token uses up a fetch.
    expect((await fetch(url)).status).toBe(404)
    expect((await fetch(url, by('short'))).status).toBe(404)
    expect((await fetch(url, { method: 'HEAD', ...by(tokens.first) })).status).toBe(404)
    const begun = await fetch(url, by(tokens.first, 'bytes=0-99'))
    expect(await bodyOf(begun)).toEqual(data.subarray(0, 100))
    expect((await fetch(url, by(tokens.second))).status).toBe(404)
    expect(await bodyOf(await fetch(url, by(tokens.first, 'bytes=100-')))).toEqual(data.subarray(100))
    expect(await bodyOf(await fetch(url, by(tokens.first)))).toEqual(data)
    expect((await fetch(url, { method: 'HEAD', ...by(tokens.first) })).headers.get('content-length')).toBe('1000')
    expect((await fetch(url, { method: 'HEAD', ...by(tokens.second) })).status).toBe(404)
  })

  test('[RELAY-3.20] of many who ask at the same moment one has it', async () => {
    const { url } = await limited({ fetches: 1 })
    const asked = Array.from({ length: 8 }, (_, at) => fetch(url, by(String(at).repeat(43))))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, ...Array.from({ length: 7 }, () => 404)])
  })

  test('[RELAY-3.20] is deleted by its owner as any other, and other blobs ask for no token', async () => {
    const { url, blob, alice } = await limited({ fetches: 1 })
    expect((await fetch(url, by(tokens.first))).status).toBe(200)
    await alice.call('deleteBlob', { blob: blob as never })
    expect((await fetch(url, by(tokens.first))).status).toBe(404)
    const free = await limited({})
    expect(await bodyOf(await fetch(free.url))).toEqual(data)
    expect(await bodyOf(await fetch(free.url, by(tokens.second)))).toEqual(data)
  })

  test.for([
    [{ fetches: 0 }, 'fetches'],
    [{ fetches: 17 }, 'fetches'],
    [{ lifetimeMs: 0 }, 'lifetimeMs'],
  ] as const)('[RELAY-3.21] is refused with limits that make no sense: %o', async ([limits, field]) => {
    const relay = await testRelay()
    const alice = await arrive(relay)
    await expect(beginLimited(relay, alice, { size: 1, ...limits })).rejects.toThrow(field)
  })
})

describe('the rest of HTTP', () => {
  test('[RELAY-3.7] health, a word for people, and nothing else', async () => {
    const { url } = await testRelay()
    const health = await fetch(`${url}/healthz`)
    expect([health.status, await health.json()]).toEqual([200, {}])
    expect(await (await fetch(url)).text()).toContain('Postern relay')
    const missing = await fetch(`${url}/v1/me`)
    expect([missing.status, await missing.json()]).toEqual([404, { error: expect.any(String), code: 'not-found' }])
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(404)
    expect((await fetch(`${url}/relay/v1`)).status).toBe(404)
  })
})
