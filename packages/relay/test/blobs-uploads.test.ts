// Uploads of blobs over HTTP: pieces, resuming, completion, and refusals.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { ReadableStream } from 'node:stream/web'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ManualClock } from '@postern/testkit/clock'
import { expect, test } from 'vitest'
import { type Begun, bearer, begin, bodyOf, offsetOf, put } from './put-blob.ts'
import { arrive, temporaryDirectory, testRelay } from './relay-fixture.ts'

/** Sends a part of the announced bytes, and keeps the connection open. */
function startPut(begun: Begun, announced: { offset: number; length: number }) {
  const headers = { ...bearer(begun, announced.offset), 'Content-Length': announced.length }
  const sending = request(begun.url, { method: 'PUT', headers })
  sending.on('error', () => undefined)
  return sending
}
test('[RELAY-3.1] piece by piece, each where the last one ended', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const data = randomBytes(300_000)
  const begun = await begin(relay, alice, data.length)
  const first = await put(begun, data.subarray(0, 100_000), 0)
  expect([first.status, offsetOf(first)]).toEqual([204, 100_000])
  const head = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
  expect(offsetOf(head)).toBe(100_000)
  expect(head.headers.get('content-length')).toBeNull()
  expect((await fetch(begun.url)).status).toBe(404)

  for (const wrong of [0, 99_999, 100_001]) {
    const refused = await put(begun, data.subarray(0, 10), wrong)
    expect([refused.status, offsetOf(refused)]).toEqual([409, 100_000])
  }
  const last = await put(begun, data.subarray(100_000), 100_000)
  expect([last.status, offsetOf(last)]).toEqual([204, 300_000])
  const complete = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
  expect([offsetOf(complete), complete.headers.get('content-length')]).toEqual([300_000, '300000'])
  expect(await bodyOf(await fetch(begun.url))).toEqual(data)
  // The answer to the last piece was lost.
  expect((await put(begun, new Uint8Array(), 300_000)).status).toBe(204)
})

test('[RELAY-3.1] by its token only, and saying where', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const begun = await begin(relay, alice, 10)
  const other = await begin(relay, alice, 10)
  expect((await put({ ...begun, token: other.token }, randomBytes(10), 0)).status).toBe(401)
  expect((await fetch(begun.url, { method: 'PUT', headers: { 'Upload-Offset': '0' }, body: 'x' })).status).toBe(401)
  expect((await fetch(begun.url, { method: 'PUT', headers: bearer(begun), body: 'x' })).status).toBe(400)
  expect((await fetch(begun.url, { method: 'HEAD', headers: bearer(other) })).status).toBe(401)
  expect((await put({ ...begun, url: `${relay.url}/blobs/nothing` }, randomBytes(10), 0)).status).toBe(404)
  const unknown = `${relay.url}/blobs/aaaaaaaaaaaaaaaaaaaaaaaaaa`
  expect((await put({ ...begun, url: unknown }, randomBytes(10), 0)).status).toBe(404)
  expect((await put(begun, randomBytes(10), 0)).status).toBe(204)
})

test('[RELAY-3.2] goes on where it broke off', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const data = randomBytes(200_000)
  const begun = await begin(relay, alice, data.length)
  const broken = startPut(begun, { offset: 0, length: data.length })
  broken.write(data.subarray(0, 70_000))
  let stored = 0
  for (; stored < 70_000; await nextTurn())
    stored = offsetOf(await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) }))
  broken.destroy()
  expect((await put(begun, data.subarray(70_000), 70_000)).status).toBe(204)
  expect(await bodyOf(await fetch(begun.url))).toEqual(data)
})

test('[RELAY-3.2] a newer upload takes over from an older one', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const data = randomBytes(200_000)
  const begun = await begin(relay, alice, data.length)
  const older = startPut(begun, { offset: 0, length: data.length })
  const cut = new Promise(resolve => older.on('close', resolve))
  older.write(data.subarray(0, 50_000))
  let stored = 0
  for (; stored < 50_000; await nextTurn())
    stored = offsetOf(await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) }))
  expect((await put(begun, data.subarray(50_000), 50_000)).status).toBe(204)
  await cut
  expect(await bodyOf(await fetch(begun.url))).toEqual(data)
})

test('[RELAY-3.3] more than was announced is refused, by its length or as it comes', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const begun = await begin(relay, alice, 1000)
  expect((await put(begun, randomBytes(1001), 0)).status).toBe(413)
  async function* unannounced() {
    yield randomBytes(900)
    yield randomBytes(900)
  }
  const chunked = await fetch(begun.url, {
    method: 'PUT',
    headers: bearer(begun, 0),
    body: ReadableStream.from(unannounced()) as never,
    duplex: 'half',
  } as RequestInit)
  expect(chunked.status).toBe(413)
  const offset = offsetOf(await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) }))
  expect(offset).toBeLessThanOrEqual(1000)
  expect((await fetch(begun.url)).status).toBe(404)
  expect((await put(begun, randomBytes(1000 - offset), offset)).status).toBe(204)
})

test('[RELAY-3.10] a full disk is 507, whose sender hears it while it sends; with room it goes on', async () => {
  const dataDirectory = temporaryDirectory()
  const relay = await testRelay({ dataDirectory, clock: new ManualClock(Date.now()) })
  const begun = await begin(relay, await arrive(relay), 5_000_000)
  const folder = join(dataDirectory, 'blobs', begun.blob.slice(0, 2))
  mkdirSync(folder, { recursive: true })
  // The kernel's device that is always full.
  symlinkSync('/dev/full', join(folder, begun.blob))
  const data = randomBytes(3_000_000)
  for (let round = 0; round < 20; round++) {
    const sending = startPut(begun, { offset: 0, length: 5_000_000 })
    const answer = once(sending, 'response') as Promise<[IncomingMessage]>
    sending.write(data)
    const [{ statusCode }] = await answer
    expect(statusCode).toBe(507)
    sending.destroy()
  }
  expect(await (await put(begun, randomBytes(10), 0)).json()).toMatchObject({ code: 'storage-full' })
  unlinkSync(join(folder, begun.blob))
  expect((await put(begun, randomBytes(10), 0)).status).toBe(204)
  // Refused senders do not delay the stop: on a clock that does not advance, nothing else would end it.
  await relay.stop()
})

const ending = (begun: Begun, offset: number) => ({ ...bearer(begun, offset), 'Upload-Complete': '?1' })
const completeOf = (response: Response) => response.headers.get('upload-complete')
const putLast = (begun: Begun, body: Uint8Array, offset: number): Promise<Response> =>
  fetch(begun.url, { method: 'PUT', headers: ending(begun, offset), body: Buffer.from(body) })

test('[RELAY-3.9] a piece that says so ends the blob below its announced size, and it grows no more', async () => {
  const relay = await testRelay({ limits: { blobsPerDayBytesMax: 1000 } })
  const alice = await arrive(relay)
  const data = randomBytes(300)
  const begun = await begin(relay, alice, 1000)
  const first = await put(begun, data.subarray(0, 100), 0)
  expect([first.status, offsetOf(first), completeOf(first)]).toEqual([204, 100, '?0'])
  const last = await putLast(begun, data.subarray(100), 100)
  expect([last.status, offsetOf(last), completeOf(last)]).toEqual([204, 300, '?1'])
  expect(await bodyOf(await fetch(begun.url))).toEqual(data)
  const head = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
  expect([offsetOf(head), completeOf(head), head.headers.get('content-length')]).toEqual([300, '?1', '300'])
  expect((await put(begun, randomBytes(10), 300)).status).toBe(413)
  expect((await putLast(begun, new Uint8Array(), 300)).status).toBe(204)
  expect(await bodyOf(await fetch(begun.url))).toEqual(data)
  await begin(relay, alice, 700)
  await expect(begin(relay, alice, 1)).rejects.toMatchObject({ code: 'rate-limited' })
})

test('[RELAY-3.9] one that breaks off ends nothing; an empty one ends it where it is', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const data = randomBytes(50_000)
  const begun = await begin(relay, alice, 1_000_000)
  expect((await putLast(begun, new Uint8Array(), 0)).status).toBe(400)
  const broken = request(begun.url, { method: 'PUT', headers: ending(begun, 0) })
  broken.on('error', () => undefined)
  broken.write(data)
  const standing = async () => {
    const head = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
    return [offsetOf(head), completeOf(head)]
  }
  while ((await standing())[0] !== data.length) await nextTurn()
  broken.destroy()
  expect(await standing()).toEqual([data.length, '?0'])
  expect((await fetch(begun.url)).status).toBe(404)
  expect((await putLast(begun, new Uint8Array(), 10)).status).toBe(409)
  const last = await putLast(begun, new Uint8Array(), data.length)
  expect([last.status, offsetOf(last), completeOf(last)]).toEqual([204, data.length, '?1'])
  expect(await bodyOf(await fetch(begun.url))).toEqual(data)
})

test('[RELAY-3.9] neither does one whose connection ends before all that was sent was read', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const data = randomBytes(700_000)
  for (let round = 0; round < 20; round++) {
    const begun = await begin(relay, alice, data.length + 1)
    const cut = request(begun.url, { method: 'PUT', headers: { ...ending(begun, 0), 'Content-Length': data.length } })
    cut.on('error', () => undefined)
    await new Promise<void>(resolve => cut.write(data, () => resolve()))
    cut.destroy()
    const standing = async () => {
      const head = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
      return { offset: offsetOf(head), isComplete: completeOf(head) === '?1' }
    }
    for (let { offset, isComplete } = await standing(); !isComplete; { offset, isComplete } = await standing())
      // The relay may still read the upload that was cut, and end the newer one: then it is asked again.
      await putLast(begun, data.subarray(offset), offset).catch(() => undefined)
    expect((await bodyOf(await fetch(begun.url))).equals(data)).toBe(true)
  }
})

test('[RELAY-3.9] a newer upload that waited for the one that ended it writes nothing behind the end', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const data = randomBytes(3000)
  const begun = await begin(relay, alice, 10_000)
  // Each replaces the one before it, whose connection is cut: some of these get no answer.
  await Promise.allSettled(Array.from({ length: 4 }, () => putLast(begun, data, 0)))
  const head = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
  if (completeOf(head) === '?0') await putLast(begun, data.subarray(offsetOf(head)), offsetOf(head))
  expect(await bodyOf(await fetch(begun.url))).toEqual(data)
})

test('[RELAY-3.6] sizes are limited', async () => {
  const relay = await testRelay({ limits: { blobBytesMax: 100, blobsPerDayBytesMax: 150 } })
  const alice = await arrive(relay)
  await expect(alice.call('beginBlob', { size: 0 })).rejects.toMatchObject({ code: 'bad-field' })
  await expect(alice.call('beginBlob', { size: 101 })).rejects.toMatchObject({ code: 'too-large' })
  await alice.call('beginBlob', { size: 100 })
  await expect(alice.call('beginBlob', { size: 100 })).rejects.toMatchObject({
    code: 'rate-limited',
    details: { retryAtMs: expect.any(Number) },
  })
})
