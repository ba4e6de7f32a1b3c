// Files when things go wrong: senders that stop or send too much, readers that leave, blobs that are gone or changed.
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { basename } from 'node:path'
import { contentLimits, gatewayLimits } from '@postern/protocol'
import { ManualClock, type Person, passTime, passWhenAwaited, type TestGateway, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Api, SOON } from './api.ts'
import { blobsAtRelay, filesOfGateway } from './files-left.ts'
import { sendForm, sentFile } from './send-form.ts'
import { badRequest, notFound, sees, talking } from './talking.ts'

let world: World
let alice: Person
beforeEach(async () => {
  world = await World.start()
  alice = await world.person('alice')
})
afterEach(() => world.stop())

const partHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
const formEnd = '\r\n--b--\r\n'

/** An upload by hand: its head, and whatever the test writes. */
function beginUpload(gateway: TestGateway, length: number | 'chunked'): Socket {
  const socket = connect(gateway.port, '127.0.0.1')
  socket.on('error', () => {})
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
  socket.write(
    `POST /v1/chats/${alice.id}/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\n${size}\r\n\r\n`,
  )
  return socket
}

async function answerOf(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString()
}

const nothingIsLeft = async () => {
  await expect.poll(() => filesOfGateway(world), SOON).toEqual([])
  await expect.poll(() => blobsAtRelay(world), SOON).toEqual([])
}

describe('uploads', () => {
  test('[R59] a sender that hangs up leaves nothing', async () => {
    const { gateway, api, path } = await talking(world, alice)
    for (const sent of [0, 10, 400_000]) {
      const socket = beginUpload(gateway, 1_000_000)
      socket.write(partHead + 'x'.repeat(sent))
      if (sent > 0) await expect.poll(() => filesOfGateway(world).length, SOON).toBeGreaterThan(0)
      socket.destroy()
      await nothingIsLeft()
    }
    expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  })

  test('[R59] a form that ends too early, or goes wrong behind its file, leaves nothing and is 400', async () => {
    const { gateway, api, path } = await talking(world, alice)
    const cut = `${partHead}${'x'.repeat(300_000)}`
    const early = beginUpload(gateway, cut.length)
    early.write(cut)
    expect(await answerOf(early)).toMatch(/^HTTP\/1\.1 400 [^]*"body: it ends before the form does\."/)
    const fields = { width: 'x' }
    expect(await sendForm(api, path, 'x'.repeat(300_000), { fields })).toEqual(badRequest(/^width: a whole number/))
    expect(await sendForm(api, path, 'x', { fields: { kind: 'photo' } })).toEqual(badRequest(/^kind: a JPEG/))
    expect(await sendForm(api, path, 'x', { fields: { reply_to: 'b'.repeat(32) } })).toEqual(badRequest(/^reply_to: /))
    early.destroy()
    await nothingIsLeft()
    expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  })

  test('[R59] a sender that stands still for a minute is cut off', async () => {
    const clock = new ManualClock(Date.now())
    const { gateway } = await talking(world, alice, { clock })
    const socket = beginUpload(gateway, 1_000_000)
    socket.write(`${partHead}beginning`)
    await expect.poll(() => filesOfGateway(world).length, SOON).toBe(1)
    clock.leap(gatewayLimits.fileIdleMs - 1)
    socket.write('more')
    await expect.poll(() => socket.bytesWritten === 0 || socket.writableLength === 0, SOON).toBe(true)
    expect(socket.closed).toBe(false)
    await expect
      .poll(() => {
        clock.leap(gatewayLimits.fileIdleMs)
        return socket.closed
      }, SOON)
      .toBe(true)
    await passTime(clock, gateway.client.whenOnline({ deadlineMs: 3_600_000 }))
    await nothingIsLeft()
  })

  test('[R59] a sender that stands still at a stop is told 503, and keeps nothing alive', async () => {
    const clock = new ManualClock(Date.now())
    const { gateway } = await talking(world, alice, { clock })
    const socket = beginUpload(gateway, 1_000_000)
    socket.write(partHead + 'x'.repeat(400_000))
    await expect.poll(() => filesOfGateway(world).length, SOON).toBeGreaterThan(0)
    const stopped = world.closeGateway(gateway)
    const answer = await passWhenAwaited(clock, gatewayLimits.requestsEndWithinMs, answerOf(socket))
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    await stopped
    await nothingIsLeft()
    expect(clock.timerCount).toBe(0)
    socket.destroy()
  })

  test('[R59] there are 16 places; the next is told to come again, and places become free', async () => {
    const { gateway, api, path } = await talking(world, alice)
    const standing = Array.from({ length: gatewayLimits.fileUploadsMax }, () => beginUpload(gateway, 1_000_000))
    for (const socket of standing) socket.write(`${partHead}beginning`)
    await expect.poll(() => filesOfGateway(world).length, SOON).toBe(gatewayLimits.fileUploadsMax)
    expect(await sendForm(api, path, 'one too many')).toMatchObject({
      status: 503,
      body: { code: 'unavailable', error: expect.stringMatching(/16 files are being uploaded/) },
    })
    for (const socket of standing) socket.destroy()
    await expect.poll(async () => (await sendForm(api, path, 'now')).status, SOON).toBe(200)
  })

  test('[R58] a length above 300 MB is refused before a byte of the file was read', async () => {
    const { gateway } = await talking(world, alice)
    const socket = beginUpload(gateway, contentLimits.fileBytesMax + 2 * 1024 * 1024)
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 400 [^]*"file: at most 314572800 bytes are allowed\."/)
    socket.destroy()
    await nothingIsLeft()
  })

  test('[R58] who sends on after a refusal still gets the answer, on a connection that goes on', async () => {
    const { gateway } = await talking(world, alice)
    const body = `--b\r\nContent-Disposition: form-data; name="kind"\r\n\r\nwrong\r\n${partHead}${'x'.repeat(3_000_000)}${formEnd}`
    const socket = beginUpload(gateway, body.length)
    const written = new Promise<void>(resolve => socket.write(body, () => resolve()))
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 400 [^]*"kind: photo, video, voice or file is required\."/)
    await written
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  test('[R59] while the relay is out of reach an upload is 503 and leaves nothing', async () => {
    const clock = new ManualClock(Date.now())
    const { gateway, api, path } = await talking(world, alice, { clock })
    gateway.wire.cut()
    await expect.poll(() => gateway.client.isOnline, SOON).toBe(false)
    const { status, body } = await passTime(clock, sendForm(api, path, 'x'.repeat(1000)))
    expect([status, body]).toMatchObject([503, { code: 'unavailable' }])
    gateway.wire.mend()
    await passTime(clock, gateway.client.whenOnline({ deadlineMs: 3_600_000 }))
    await nothingIsLeft()
    expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  })

  test('[R59] a restart sweeps away what an upload left', async () => {
    const { gateway } = await talking(world, alice)
    const socket = beginUpload(gateway, 1_000_000)
    socket.write(partHead + 'x'.repeat(400_000))
    await expect.poll(() => filesOfGateway(world).length, SOON).toBe(1)
    const [part = ''] = filesOfGateway(world)
    const bytes = readFileSync(part)
    socket.destroy()
    await world.closeGateway(gateway)
    writeFileSync(part, bytes)
    await world.gateway()
    await nothingIsLeft()
  })
})

describe('downloads', () => {
  const fileOf = (id: string) => `/v1/chats/${alice.id}/messages/${id}/file`

  /** From alice, and not fetched yet. */
  async function received(api: Api, toBot: never, bytes: Uint8Array): Promise<string> {
    const draft = await alice.client.takeFile(new Blob([bytes as BlobPart]).stream() as AsyncIterable<Uint8Array>)
    const details = { name: 'a', type: 'text/plain', kind: 'file' as const }
    const { id } = await alice.client.sendFile(toBot, { draft, ...details }, WITHIN)
    await draft.discard()
    await api.next('message')
    return id
  }

  test('[R64] a blob that is gone is 404, and so is one that was changed; never other bytes', async () => {
    const { api, toBot } = await talking(world, alice)
    const gone = await received(api, toBot as never, Buffer.alloc(500_000, 1))
    for (const blob of blobsAtRelay(world)) rmSync(blob)
    expect(await api.call('GET', fileOf(gone))).toEqual(notFound(/no longer at the relay|bytes at the relay/))
    const changed = await received(api, toBot as never, Buffer.alloc(500_000, 1))
    const [blob = ''] = blobsAtRelay(world)
    const bytes = readFileSync(blob)
    bytes.writeUInt8((bytes[400_000] ?? 0) ^ 1, 400_000)
    writeFileSync(blob, bytes)
    expect(await api.call('GET', fileOf(changed))).toEqual(notFound(/not the ones that were sent/))
    expect(await api.call('GET', fileOf(changed))).toEqual(notFound(/not the ones that were sent/))
  })

  test('[R64] while the relay is out of reach a file that is not here yet is 503, and then it comes', async () => {
    const clock = new ManualClock(Date.now())
    const { gateway, api, toBot } = await talking(world, alice, { clock })
    const id = await received(api, toBot as never, Buffer.from('later'))
    await world.stopRelay()
    await expect.poll(() => gateway.client.isOnline, SOON).toBe(false)
    const away = await passTime(clock, api.call('GET', fileOf(id)))
    expect(away).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    await world.startRelay()
    await passTime(clock, gateway.client.whenOnline({ deadlineMs: 3_600_000 }))
    expect(await (await api.get(fileOf(id))).text()).toBe('later')
  })

  test('[R65] deleting the message frees the blob at the relay, and here', async () => {
    const { api, path } = await talking(world, alice)
    const sent = await sentFile(api, path, 'x'.repeat(1000))
    await sees(alice, sent)
    const [blob = ''] = blobsAtRelay(world)
    expect((await fetch(`${world.relayUrl}/blobs/${basename(blob)}`)).status).toBe(200)
    expect(await api.ok('DELETE', `${path}/messages/${sent.id}`)).toEqual({})
    expect(await api.call('GET', fileOf(sent.id))).toEqual(notFound(/no message/))
    await nothingIsLeft()
    expect((await fetch(`${world.relayUrl}/blobs/${basename(blob)}`)).status).toBe(404)
  })

  const size = 40 * 1024 * 1024

  const figure = async (api: Api, name: string): Promise<number> => {
    const figures = await (await api.get('/v1/metrics')).text()
    const line = figures.split('\n').find(one => one.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }
  const downloads = (api: Api) => figure(api, 'postern_file_downloads')
  const bytesRead = (api: Api) => figure(api, 'postern_file_bytes_total{direction="down"}')

  test('[R66] a reader that hangs up ends the reading', async () => {
    const { gateway, api, path } = await talking(world, alice)
    const sent = await sentFile(api, path, new Uint8Array(size))
    const asking = request(`${gateway.url}${fileOf(sent.id)}`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    })
    asking.end()
    const [answer] = await once(asking, 'response')
    await once(answer, 'readable')
    asking.destroy()
    await expect.poll(() => downloads(api), SOON).toBe(0)
    expect(await bytesRead(api)).toBeLessThan(size)
  })

  test('[R66] a reader that stands still for a minute is cut off', async () => {
    const clock = new ManualClock(Date.now())
    const { gateway, api, path } = await talking(world, alice, { clock })
    const sent = await sentFile(api, path, new Uint8Array(size))
    const socket = connect(gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`GET ${fileOf(sent.id)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`)
    await once(socket, 'readable')
    expect(await downloads(api)).toBe(1)
    const passTimeAndLook = async () => {
      clock.leap(gatewayLimits.fileIdleMs)
      return await downloads(api)
    }
    await expect.poll(passTimeAndLook, SOON).toBe(0)
    // Only now it goes on, too late.
    socket.resume()
    await expect.poll(() => socket.closed, SOON).toBe(true)
    expect(socket.bytesRead).toBeLessThan(size)
  })

  test('[R66] a fault behind the first byte cuts the connection: half a file never looks whole', async () => {
    const { api, path } = await talking(world, alice)
    const sent = await sentFile(api, path, Buffer.alloc(3_000_000, 7))
    const answer = await api.get(fileOf(sent.id))
    expect((await answer.arrayBuffer()).byteLength).toBe(3_000_000)
    const [kept = ''] = filesOfGateway(world)
    const bytes = readFileSync(kept)
    bytes.writeUInt8((bytes[2_900_000] ?? 0) ^ 1, 2_900_000)
    writeFileSync(kept, bytes)
    for (const blob of blobsAtRelay(world)) rmSync(blob)
    const cut = await api.get(fileOf(sent.id))
    expect(cut.status).toBe(200)
    await expect(cut.arrayBuffer()).rejects.toThrow()
  })
})

test('[R78] the metrics count the bytes of files in both directions, and those under way', async () => {
  const { api, path } = await talking(world, alice)
  const sent = await sentFile(api, path, 'x'.repeat(1234))
  await (await api.get(`${path}/messages/${sent.id}/file`)).text()
  const figures = async () => await (await api.get('/v1/metrics')).text()
  await expect.poll(figures, SOON).toContain('postern_file_downloads 0\n')
  expect(await figures()).toContain('postern_file_uploads 0\n')
  expect(await figures()).toContain('postern_file_bytes_total{direction="up"} 1234\n')
  expect(await figures()).toContain('postern_file_bytes_total{direction="down"} 1234\n')
})
