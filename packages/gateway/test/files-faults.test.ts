// Uploads when things go wrong: senders that stop, stall or send too much, and a relay that is unreachable.
import { readFileSync, writeFileSync } from 'node:fs'
import { contentLimits, gatewayLimits } from '@postern/protocol'
import { passTime, passWhenAwaited } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { SOON } from './api.ts'
import { answerOf, beginUpload, formEnd, partHead } from './files-by-hand.ts'
import { filesOfGateway, nothingIsLeft } from './files-left.ts'
import { test } from './fixtures.ts'
import { sendForm, sentFile } from './send-form.ts'
import { badRequest, talking } from './talking.ts'

describe('uploads', () => {
  test('[GATEWAY-7.7] a sender that hangs up leaves nothing', async ({
    world,
    alice,
    talking: { gateway, api, path },
  }) => {
    for (const sent of [0, 10, 400_000]) {
      const socket = beginUpload({ gateway, to: alice }, 1_000_000)
      socket.write(partHead + 'x'.repeat(sent))
      if (sent > 0) await expect.poll(() => filesOfGateway(world).length, SOON).toBeGreaterThan(0)
      socket.destroy()
      await nothingIsLeft(world)
    }
    expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  })

  test('[GATEWAY-7.7] a form that ends too early, or goes wrong behind its file, leaves nothing and is 400', async ({
    world,
    alice,
    talking: { gateway, api, path },
  }) => {
    const cut = `${partHead}${'x'.repeat(300_000)}`
    const early = beginUpload({ gateway, to: alice }, cut.length)
    early.write(cut)
    expect(await answerOf(early)).toMatch(/^HTTP\/1\.1 400 [^]*"body: ends before the form is complete\."/)
    const fields = { width: 'x' }
    expect(await sendForm(api, path, 'x'.repeat(300_000), { fields })).toEqual(
      badRequest(/^width: must be a whole number/),
    )
    expect(await sendForm(api, path, 'x', { fields: { kind: 'photo' } })).toEqual(badRequest(/^kind: must be a JPEG/))
    expect(await sendForm(api, path, 'x', { fields: { reply_to: 'b'.repeat(32) } })).toEqual(badRequest(/^reply_to: /))
    early.destroy()
    await nothingIsLeft(world)
    expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  })

  test('[GATEWAY-7.7] a sender that stands still for a minute is cut off', async ({ clock, world, alice }) => {
    const { gateway } = await talking(world, alice, { clock })
    const socket = beginUpload({ gateway, to: alice }, 1_000_000)
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
    await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
    await nothingIsLeft(world)
  })

  test('[GATEWAY-7.7] a sender that stands still at a stop is told 503, and keeps nothing alive', async ({
    clock,
    world,
    alice,
  }) => {
    const { gateway } = await talking(world, alice, { clock })
    const socket = beginUpload({ gateway, to: alice }, 1_000_000)
    socket.write(partHead + 'x'.repeat(400_000))
    await expect.poll(() => filesOfGateway(world).length, SOON).toBeGreaterThan(0)
    const stopped = world.closeGateway(gateway)
    const answer = await passWhenAwaited(clock, gatewayLimits.requestsEndWithinMs, answerOf(socket))
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    await stopped
    await nothingIsLeft(world)
    expect(clock.timerCount).toBe(0)
    socket.destroy()
  })

  test('[GATEWAY-7.7] there are 16 places; the next is told to come again, and places become free', async ({
    world,
    alice,
    talking: { gateway, api, path },
  }) => {
    const standing = Array.from({ length: gatewayLimits.fileUploadsMax }, () =>
      beginUpload({ gateway, to: alice }, 1_000_000),
    )
    for (const socket of standing) socket.write(`${partHead}beginning`)
    await expect.poll(() => filesOfGateway(world).length, SOON).toBe(gatewayLimits.fileUploadsMax)
    expect(await sendForm(api, path, 'one too many')).toMatchObject({
      status: 503,
      body: { code: 'unavailable', error: expect.stringMatching(/16 files are being uploaded/) },
    })
    for (const socket of standing) socket.destroy()
    await expect.poll(async () => (await sendForm(api, path, 'now')).status, SOON).toBe(200)
  })

  test('[GATEWAY-7.6] a length above 300 MB is refused before a byte of the file was read', async ({
    world,
    alice,
    talking: { gateway },
  }) => {
    const socket = beginUpload({ gateway, to: alice }, contentLimits.fileBytesMax + 2 * 1024 * 1024)
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 400 [^]*"file: must have at most 314572800 bytes\."/)
    socket.destroy()
    await nothingIsLeft(world)
  })

  test('[GATEWAY-7.6] who sends on after a refusal still gets the answer, on a connection that goes on', async ({
    alice,
    talking: { gateway },
  }) => {
    const body = `--b\r\nContent-Disposition: form-data; name="kind"\r\n\r\nwrong\r\n${partHead}${'x'.repeat(3_000_000)}${formEnd}`
    const socket = beginUpload({ gateway, to: alice }, body.length)
    const written = new Promise<void>(resolve => socket.write(body, () => resolve()))
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 400 [^]*"kind: must be photo, video, voice or file\."/)
    await written
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  test('[GATEWAY-7.7] while the relay is out of reach an upload is 503 and leaves nothing', async ({
    clock,
    world,
    alice,
  }) => {
    const { gateway, api, path } = await talking(world, alice, { clock })
    gateway.wire.cut()
    await expect.poll(() => gateway.client.isOnline, SOON).toBe(false)
    const { status, body } = await passTime(clock, sendForm(api, path, 'x'.repeat(1000)))
    expect([status, body]).toMatchObject([503, { code: 'unavailable' }])
    gateway.wire.mend()
    await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
    await nothingIsLeft(world)
    expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  })

  test('[GATEWAY-7.7] a restart sweeps away what an upload left', async ({ world, alice, talking: { gateway } }) => {
    const socket = beginUpload({ gateway, to: alice }, 1_000_000)
    socket.write(partHead + 'x'.repeat(400_000))
    await expect.poll(() => filesOfGateway(world).length, SOON).toBe(1)
    const [part = ''] = filesOfGateway(world)
    const bytes = readFileSync(part)
    socket.destroy()
    await world.closeGateway(gateway)
    writeFileSync(part, bytes)
    await world.gateway()
    await nothingIsLeft(world)
  })
})

test('[GATEWAY-7.15] the metrics count the bytes of files in both directions, and those under way', async ({
  talking: { api, path },
}) => {
  const sent = await sentFile(api, path, 'x'.repeat(1234))
  await (await api.get(`${path}/messages/${sent.id}/file`)).text()
  const figures = async () => await (await api.get('/v1/metrics')).text()
  await expect.poll(figures, SOON).toContain('postern_file_downloads 0\n')
  expect(await figures()).toContain('postern_file_uploads 0\n')
  expect(await figures()).toContain('postern_file_bytes_total{direction="up"} 1234\n')
  expect(await figures()).toContain('postern_file_bytes_total{direction="down"} 1234\n')
})
