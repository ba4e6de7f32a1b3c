// Blobs in an object store that fails, stalls, breaks off and lies; and two relays that share it.
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError, isCoded } from '@postern/protocol'
import { ManualClock, passTime } from '@postern/testkit/clock'
import type { S3Asked, S3Operation, S3Server, S3Trouble } from '@postern/testkit/s3'
import { describe, expect, test } from 'vitest'
import type { RelayLimits } from '../src/limits/relay-limits.ts'
import { blobsAt, placeOf, sharedStore, testS3 } from './blob-places.ts'
import { bearer, begin, beginLimited, bodyOf, offsetOf, put } from './put-blob.ts'
import { arrive, testRelay } from './relay-fixture.ts'

const MIB = 1024 * 1024
const room = { spend: () => undefined }

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Only for the next operation of that kind. */
function next(server: S3Server, operation: S3Operation, trouble: S3Trouble): void {
  server.trouble = asked => {
    if (asked.operation !== operation) return undefined
    server.trouble = () => undefined
    return trouble
  }
}

const serving = async () => {
  const server = await testS3()
  const relay = await testRelay({ blobs: placeOf(server) })
  return { server, relay, alice: await arrive(relay) }
}

const countOf = (asked: readonly S3Asked[], operation: S3Operation) =>
  asked.filter(each => each.operation === operation).length

describe('what is asked of the store', () => {
  test('[RELAY-8.1] a small blob is one object by one request; a large one is put together of parts', async () => {
    const { server, relay, alice } = await serving()
    const small = await begin(relay, alice, 50_000)
    expect((await put(small, randomBytes(50_000), 0)).status).toBe(204)
    expect(countOf(server.asked, 'put')).toBe(1)
    expect(countOf(server.asked, 'begin')).toBe(0)
    const data = randomBytes(20 * MIB)
    const large = await begin(relay, alice, data.length)
    expect((await put(large, data, 0)).status).toBe(204)
    expect(countOf(server.asked, 'put')).toBe(1)
    expect(countOf(server.asked, 'put-part')).toBe(3)
    expect((await bodyOf(await fetch(large.url))).equals(data)).toBe(true)
    expect([...server.store.objects.keys()].toSorted()).toEqual(
      [small, large].map(({ blob }) => `of/alice/${blob.slice(0, 2)}/${blob}`).toSorted(),
    )
    expect(server.store.uploads.size).toBe(0)
  })

  test('[RELAY-3.20] a blob for one fetcher is so here, too, and past its lifetime nothing is asked of the store', async () => {
    const clock = new ManualClock(Date.now())
    const server = await testS3()
    const relay = await testRelay({ blobs: placeOf(server), clock })
    const data = randomBytes(50_000)
    const begun = await beginLimited(relay, await arrive(relay), { size: data.length, lifetimeMs: 600_000, fetches: 1 })
    await put(begun, data, 0)
    const by = (token: string, range?: string) =>
      fetch(begun.url, { headers: { 'Fetch-Token': token.repeat(43), ...(range && { Range: range }) } })
    expect(await bodyOf(await by('a', 'bytes=0-9'))).toEqual(data.subarray(0, 10))
    expect((await by('b')).status).toBe(404)
    expect((await bodyOf(await by('a'))).equals(data)).toBe(true)
    clock.advance(600_000)
    const reads = countOf(server.asked, 'get')
    expect((await by('a')).status).toBe(404)
    expect(countOf(server.asked, 'get')).toBe(reads)
  })

  test('[RELAY-8.10] it is signed, with the token of a session when there is one', async () => {
    const server = await testS3({ sessionToken: 'alices/session+token==' })
    const relay = await testRelay({ blobs: placeOf(server) })
    const begun = await begin(relay, await arrive(relay), 10)
    expect((await put(begun, randomBytes(10), 0)).status).toBe(204)
    expect((await fetch(begun.url)).status).toBe(200)
  })
})

describe('a store in trouble', () => {
  test.for(['put', 'begin', 'put-part', 'complete'] as const)(
    '[RELAY-8.5] the answer to %s is lost, and the blob is complete once',
    async operation => {
      const { server, relay, alice } = await serving()
      const data = randomBytes(operation === 'put' ? 1000 : 9 * MIB)
      const begun = await begin(relay, alice, data.length)
      next(server, operation, { kind: 'lose' })
      expect((await put(begun, data, 0)).status).toBe(204)
      expect((await bodyOf(await fetch(begun.url))).equals(data)).toBe(true)
    },
  )

  test('[RELAY-8.5] a relay that ends between the last part and the note of it is finished by another', async () => {
    const server = await testS3()
    for (const size of [1000, 9 * MIB]) {
      const { blobs, other, begin: begun, store } = await blobsAt(placeOf(server))
      const data = randomBytes(size)
      const blob = await begun(2 * size)
      const at = { offset: 0, lengthMax: 2 * size, isLast: false, room }
      expect(await blobs.append(blob, once(data), at)).toEqual({ kind: 'whole', length: size })
      expect(await blobs.complete(blob, size)).toBe('complete')
      // The relay was killed here, before noting the completion.
      expect(await other.length(blob)).toBe(size)
      expect(await other.complete(blob, size)).toBe('complete')
      await store.finishBlob(blob, { size, nowMs: Date.now() })
      expect(server.store.objects.size).toBe(size === 1000 ? 1 : 2)
    }
  })

  test('[RELAY-8.7] what passes is asked for again; what does not is 503, and goes on later', async () => {
    const { server, relay, alice } = await serving()
    const data = randomBytes(9 * MIB)
    const begun = await begin(relay, alice, data.length)
    next(server, 'put-part', { kind: 'refuse', code: 'SlowDown', status: 503 })
    const first = await put(begun, data.subarray(0, 8 * MIB), 0)
    expect([first.status, offsetOf(first)]).toEqual([204, 8 * MIB])
    server.trouble = () => ({ kind: 'refuse', code: 'AccessDenied', status: 403 })
    const refused = await put(begun, data.subarray(8 * MIB), 8 * MIB)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    const said = JSON.stringify(await refused.json())
    expect(said).toContain('unavailable')
    expect(said).not.toContain('alices')
    server.trouble = () => ({ kind: 'cut' })
    expect((await put(begun, data.subarray(8 * MIB), 8 * MIB)).status).toBe(503)
    server.trouble = () => undefined
    const head = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
    expect(offsetOf(head)).toBe(8 * MIB)
    expect((await put(begun, data.subarray(8 * MIB), 8 * MIB)).status).toBe(204)
    server.trouble = () => ({ kind: 'refuse', code: 'InternalError', status: 500 })
    expect((await fetch(begun.url)).status).toBe(503)
    server.trouble = () => undefined
    expect((await bodyOf(await fetch(begun.url))).equals(data)).toBe(true)
  })

  test('[RELAY-8.7] one that says nothing is given up', async () => {
    const clock = new ManualClock()
    const server = await testS3({ nowMs: () => clock.nowMs() })
    const { blobs, begin: begun } = await blobsAt(placeOf(server), {}, clock)
    const blob = await begun(100)
    const at = { offset: 0, lengthMax: 100, isLast: true, room }
    next(server, 'put', { kind: 'stall' })
    const appended = await passTime(clock, blobs.append(blob, once(randomBytes(100)), at))
    expect(appended).toEqual({ kind: 'complete', length: 100 })
    server.trouble = () => ({ kind: 'stall' })
    const refused = passTime(clock, blobs.read(blob, { start: 0, end: 99 }))
    await expect(refused).rejects.toSatisfy(error => isCoded(error, 'unavailable'))
  })

  test.for(['truncate', 'shorten'] as const)('[RELAY-8.6] %s: nobody takes less for all of it', async kind => {
    const { server, relay, alice } = await serving()
    const data = randomBytes(100_000)
    const begun = await begin(relay, alice, data.length)
    await put(begun, data, 0)
    server.trouble = () => ({ kind })
    for (const headers of [{}, { Range: 'bytes=10-99' }]) {
      const fetched = fetch(begun.url, { headers }).then(async answer => ({
        status: answer.status,
        bytes: await answer.arrayBuffer(),
      }))
      const outcome = await fetched.catch(() => 'broken')
      expect(outcome).toBe('broken')
    }
    server.trouble = () => undefined
    // Another object than the one that was stored.
    for (const key of server.store.objects.keys()) server.store.objects.set(key, Buffer.from(data.subarray(0, 50)))
    expect((await fetch(begun.url)).status).toBe(503)
    expect((await fetch(begun.url, { headers: { Range: 'bytes=60-70' } })).status).toBe(503)
  })
})

describe('memory', () => {
  test('[RELAY-8.4] beyond what uploads may hold together one is refused for now, and what it sent is kept', async () => {
    const { blobs, begin: begun } = await blobsAt(placeOf(await testS3()), { blobMemoryBytesMax: 2 * MIB })
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
    const holder = await begun(3 * MIB)
    const { promise: holds, resolve: isHeld } = Promise.withResolvers<void>()
    async function* held() {
      yield randomBytes(MIB)
      isHeld()
      await gate
    }
    const at = { offset: 0, lengthMax: 3 * MIB, isLast: false, room }
    const holding = blobs.append(holder, held(), at)
    await holds
    const other = await begun(3 * MIB)
    await expect(blobs.append(other, once(randomBytes(3 * MIB)), at)).rejects.toSatisfy(error =>
      isCoded(error, 'unavailable'),
    )
    expect(await blobs.length(other)).toBe(MIB)
    openGate()
    expect(await holding).toEqual({ kind: 'whole', length: MIB })
    const rest = { ...at, offset: MIB, isLast: true }
    expect(await blobs.append(other, once(randomBytes(MIB / 2)), rest)).toMatchObject({ length: 1.5 * MIB })
  })
})

describe('a part that is on its way', () => {
  const at = { offset: 0, lengthMax: 30 * MIB, isLast: true, room }
  /** The first part is held until it is released. */
  const holding = async (limits: Partial<RelayLimits> = {}) => {
    const server = await testS3()
    const opened = await blobsAt(placeOf(server), limits)
    const { promise: until, resolve: letGo } = Promise.withResolvers<void>()
    next(server, 'put-part', { kind: 'hold', until })
    return { server, letGo, ...opened, blob: await opened.begin(30 * MIB) }
  }

  test('[RELAY-8.11] does not keep the next one from coming, and that one keeps the third', async () => {
    const { server, letGo, blobs, blob } = await holding()
    const parts = [randomBytes(8 * MIB), randomBytes(8 * MIB), randomBytes(3 * MIB)] as const
    const { promise: second, resolve: secondAsked } = Promise.withResolvers<void>()
    let isThirdAsked = false
    async function* body() {
      yield parts[0]
      secondAsked()
      yield parts[1]
      isThirdAsked = true
      yield parts[2]
    }
    const appended = blobs.append(blob, body(), at)
    await second
    for (let turn = 0; turn < 20; turn++) await nextTurn()
    expect([isThirdAsked, countOf(server.asked, 'put-part')]).toEqual([false, 1])
    letGo()
    expect(await appended).toEqual({ kind: 'complete', length: 19 * MIB })
    expect(countOf(server.asked, 'put-part')).toBe(3)
    expect([...server.store.objects.values()].map(each => each.equals(Buffer.concat(parts)))).toEqual([true])
  })

  test('[RELAY-8.11] is waited for when the body breaks off, and what came behind it is kept behind it', async () => {
    const { letGo, blobs, other, blob } = await holding()
    const data = randomBytes(9 * MIB)
    async function* body() {
      yield data.subarray(0, 8 * MIB)
      yield data.subarray(8 * MIB)
      letGo()
      throw new Error('the line is cut')
    }
    expect(await blobs.append(blob, body(), at)).toEqual({ kind: 'broken', length: 9 * MIB })
    const rest = randomBytes(MIB)
    const last = await other.append(blob, once(rest), { ...at, offset: 9 * MIB })
    expect(last).toEqual({ kind: 'complete', length: 10 * MIB })
    const read = await blobs.read(blob, { start: 0, end: 10 * MIB - 1 })
    expect(Buffer.concat(await Array.fromAsync(read ?? [])).equals(Buffer.concat([data, rest]))).toBe(true)
  })

  test('[RELAY-8.11] that fails fails the upload, and nothing behind it is noted', async () => {
    const { server, blobs, blob } = await holding()
    async function* body() {
      yield randomBytes(8 * MIB)
      // Continues without end: only the refusal ends it.
      for (;;) {
        await nextTurn()
        yield randomBytes(1)
      }
    }
    next(server, 'put-part', { kind: 'refuse', code: 'AccessDenied', status: 403 })
    await expect(blobs.append(blob, body(), at)).rejects.toSatisfy(error => isCoded(error, 'unavailable'))
    expect(await blobs.length(blob)).toBe(0)
  })

  test('[RELAY-8.4] gives its memory back before the next one is refused for want of it', async () => {
    const { letGo, blobs, begin: begun, blob } = await holding({ blobMemoryBytesMax: 9 * MIB })
    const appended = blobs.append(blob, once(randomBytes(20 * MIB)), at)
    letGo()
    expect(await appended).toEqual({ kind: 'complete', length: 20 * MIB })
    // All memory was freed: the same amount is available again.
    const again = await blobs.append(await begun(30 * MIB), once(randomBytes(20 * MIB)), at)
    expect(again).toEqual({ kind: 'complete', length: 20 * MIB })
  })
})

describe('what is over', () => {
  test('[RELAY-8.8] of what was deleted or has expired nothing is left in the store', async () => {
    const clock = new ManualClock(Date.now())
    const server = await testS3({ nowMs: () => clock.nowMs() })
    const relay = await testRelay({ clock, blobs: placeOf(server), limits: { sweepEveryMs: 1000 } })
    const alice = await arrive(relay)
    const [deleted, unfinished, complete] = [
      await begin(relay, alice, 100),
      await begin(relay, alice, 20 * MIB),
      await begin(relay, alice, 9 * MIB),
    ]
    await put(deleted, randomBytes(100), 0)
    await put(unfinished, randomBytes(9 * MIB), 0)
    await put(complete, randomBytes(9 * MIB), 0)
    // An object that a relay left when it was killed before noting it.
    server.store.put(`of/alice/${unfinished.blob.slice(0, 2)}/${unfinished.blob}.7-0123456789abcdef`, randomBytes(5))
    await alice.call('deleteBlob', { blob: deleted.blob as never })
    expect((await fetch(deleted.url)).status).toBe(404)
    expect([server.store.objects.size, server.store.uploads.size]).toEqual([3, 1])
    clock.advance(31 * 86_400_000)
    while (server.store.objects.size + server.store.uploads.size > 0) {
      if (clock.isAwaited(1000)) clock.advance(1000)
      await nextTurn()
    }
    expect((await fetch(complete.url)).status).toBe(404)
  })
})

describe('two relays', () => {
  test('[RELAY-8.3] a part of the slower one that comes late is written over nothing', async () => {
    const server = await testS3()
    const { blobs, other, begin: begun, store } = await blobsAt(placeOf(server))
    const data = randomBytes(20 * MIB)
    const blob = await begun(data.length)
    const at = { offset: 0, lengthMax: data.length, isLast: false, room }
    const { promise: until, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
    server.trouble = ({ operation }) => {
      if (operation !== 'put-part') return undefined
      server.trouble = () => undefined
      held()
      return { kind: 'hold', until }
    }
    const slow = blobs.append(blob, once(data.subarray(0, 9 * MIB)), at)
    await isHeld
    expect(await other.append(blob, once(data.subarray(0, 9 * MIB)), at)).toEqual({ kind: 'whole', length: 9 * MIB })
    letGo()
    expect(await slow).toEqual({ kind: 'overtaken', length: 9 * MIB })
    const rest = { ...at, offset: 9 * MIB, isLast: true }
    const last = await blobs.append(blob, once(data.subarray(9 * MIB)), rest)
    expect(last).toEqual({ kind: 'complete', length: data.length })
    await store.finishBlob(blob, { size: data.length, nowMs: Date.now() })
    expect([...server.store.objects.values()].map(each => each.equals(data))).toEqual([true])
  })

  test('[RELAY-8.3] an upload that goes on at the other relay: the slower one is told where', async () => {
    const server = await testS3()
    const { store } = await blobsAt(placeOf(server))
    const openStore = () => sharedStore(store)
    const one = await testRelay({ blobs: placeOf(server), openStore })
    const two = await testRelay({ blobs: placeOf(server), openStore })
    const alice = await arrive(one)
    const data = randomBytes(12 * MIB)
    const begun = await begin(one, alice, data.length)
    const there = { ...begun, url: `${two.url}/blobs/${begun.blob}` }
    // The connection hangs, and the sender abandons it; the relay has not noticed.
    const hanging = request(begun.url, {
      method: 'PUT',
      headers: { ...bearer(begun, 0), 'Content-Length': data.length },
    })
    const told = new Promise<number>(resolve => hanging.on('response', ({ statusCode }) => resolve(statusCode ?? 0)))
    hanging.on('error', () => undefined)
    hanging.write(data.subarray(0, 3 * MIB))
    const pieces = await put(there, data.subarray(0, 5 * MIB), 0)
    expect([pieces.status, offsetOf(pieces)]).toEqual([204, 5 * MIB])
    hanging.end(data.subarray(3 * MIB))
    expect(await told).toBe(409)
    expect((await put(there, data.subarray(5 * MIB), 5 * MIB)).status).toBe(204)
    for (const { url } of [one, two])
      expect((await bodyOf(await fetch(`${url}/blobs/${begun.blob}`))).equals(data)).toBe(true)
    await expect.poll(() => server.store.uploads.size).toBe(0)
  })
})

describe('at the start', () => {
  const startedWith = async (server: S3Server, changed: { bucket?: string; secret?: string; region?: string }) => {
    const place = placeOf(server)
    if (place?.kind !== 's3') throw new CodedError('internal')
    const { bucket = place.bucket, region = place.region, secret } = changed
    const environment = () => ({ ...place.environment(), ...(secret && { AWS_SECRET_ACCESS_KEY: secret }) })
    return await testRelay({ blobs: { ...place, bucket, region, environment } }).then(
      () => 'started',
      (error: unknown) => (error as Error).message,
    )
  }

  test('[RELAY-8.9] a bucket or keys that are wrong are one line that names the option', async () => {
    const server = await testS3()
    expect(await startedWith(server, {})).toBe('started')
    expect(await startedWith(server, { bucket: 'other' })).toMatch(/^--blobs: the bucket "other".*NoSuchBucket/)
    expect(await startedWith(server, { region: 'elsewhere' })).toMatch(/^--blobs: .*AuthorizationHeaderMalformed/)
    const wrong = await startedWith(server, { secret: 'bobs-secret' })
    expect(wrong).toMatch(/^--blobs: .*SignatureDoesNotMatch/)
    expect(wrong).not.toMatch(/bobs-secret|alices/)
    await server.stop()
    expect(await startedWith(server, {})).toMatch(/^--blobs: .*ECONNREFUSED/)
  })
})
