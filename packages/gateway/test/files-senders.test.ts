// Senders of files that break off, trickle or ask first, and a relay without space for their files.
import { rmSync, symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { gatewayLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { expect } from 'vitest'
import { MinimumRate } from '../src/http/minimum-rate.ts'
import { SOON } from './api.ts'
import { answerOf, beginUpload, formEnd, partHead } from './files-by-hand.ts'
import { blobsAtRelay, figure, filesOfGateway, nothingIsLeft } from './files-left.ts'
import { test } from './fixtures.ts'
import { sentFile } from './send-form.ts'
import { talking } from './talking.ts'

test('[GATEWAY-7.18] a relay that has no room is told at once, and nothing is left', async ({
  world,
  alice,
  talking: { gateway, api, path },
}) => {
  const socket = beginUpload({ gateway, to: alice }, 5_000_000)
  socket.write(partHead + 'x'.repeat(1_000_000))
  await expect.poll(() => blobsAtRelay(world).length, SOON).toBe(1)
  await world.stopRelay()
  for (const blob of blobsAtRelay(world)) {
    rmSync(blob)
    // The device of the kernel that is always full.
    symlinkSync('/dev/full', blob)
  }
  await world.startRelay()
  const answer = await answerOf(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: [^]*"The relay's disk is full[^]*"code":"unavailable"/)
  socket.destroy()
  await nothingIsLeft(world)
  expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  await sentFile(api, path, 'x'.repeat(1_000_000))
}, 20_000)

test('[GATEWAY-7.20] a body that breaks off behind its form is not sent: who hears 400 has sent nothing', async ({
  world,
  alice,
  talking: { gateway, api, path },
}) => {
  const form = `${partHead}hello${formEnd}`
  const short = beginUpload({ gateway, to: alice }, form.length + 10)
  short.end(form)
  expect(await answerOf(short)).toMatch(/^HTTP\/1\.1 400 /)
  const unended = beginUpload({ gateway, to: alice }, 'chunked')
  unended.write(`${form.length.toString(16)}\r\n${form}\r\n`)
  await expect.poll(() => filesOfGateway(world).length, SOON).toBe(1)
  unended.destroy()
  await nothingIsLeft(world)
  expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  // Bytes after a form are skipped.
  const behind = beginUpload({ gateway, to: alice }, form.length + 10)
  behind.write(`${form}0123456789`)
  expect(await answerOf(behind)).toMatch(/^HTTP\/1\.1 200 /)
  behind.destroy()
})

test('[GATEWAY-7.21] a sender that trickles for a minute is refused, and the place is free', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api } = await talking(world, alice, { clock })
  const socket = beginUpload({ gateway, to: alice }, 1_000_000)
  socket.write(partHead)
  const answered = answerOf(socket)
  const state: { answer?: string } = {}
  void answered.then(answer => (state.answer = answer))
  const trickle = async () => {
    socket.write('x')
    await new Promise(resolve => setTimeout(resolve, 10))
    clock.advance(5000)
    return state.answer
  }
  await expect.poll(trickle, SOON).toMatch(/^HTTP\/1\.1 400 [^]*"body: arrived too slowly: send at least 65536 bytes/)
  await nothingIsLeft(world)
  expect(await figure(api, 'postern_file_uploads')).toBe(0)
  // A sender that still continues like this is cut off.
  const goOn = async () => {
    await trickle()
    return socket.closed
  }
  await expect.poll(goOn, SOON).toBe(true)
})

test('[GATEWAY-7.21] a clock that is set back gives nobody hours', () => {
  const clock = new ManualClock()
  let shiftMs = 0
  const pace = new MinimumRate({
    nowMs: () => clock.nowMs() + shiftMs,
    monotonicMs: () => clock.monotonicMs(),
    setTimer: (afterMs, run) => clock.setTimer(afterMs, run),
  })
  shiftMs = -3_600_000
  expect(pace.isKeptWith(1)).toBe(true)
  pace.wait()
  clock.advance(gatewayLimits.fileIdleMs)
  expect(pace.isKeptWith(1)).toBe(false)
})

test('[GATEWAY-7.22] who asks first whether to send is told before a byte of the body went out', async ({
  talking: { gateway, api, path },
}) => {
  const form = `${partHead}hello${formEnd}`
  const ask = async (head: string) => {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`${head}\r\nHost: x\r\nExpect: 100-continue\r\n\r\n`)
    return { socket, answer: await answerOf(socket) }
  }
  const files = `POST ${path}/files HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b`
  const token = `Authorization: Bearer ${gateway.token}`
  const stranger = await ask(`${files}\r\nContent-Length: ${form.length}`)
  expect(stranger.answer).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i)
  const large = await ask(`${files}\r\n${token}\r\nContent-Length: 400000000`)
  expect(large.answer).toMatch(/^HTTP\/1\.1 400 [^]*connection: close[^]*"file: must have at most/i)
  const lost = await ask(`POST /v1/nothing HTTP/1.1\r\n${token}\r\nContent-Length: 10`)
  expect(lost.answer).toMatch(/^HTTP\/1\.1 404 [^]*connection: close/i)
  for (const { socket } of [stranger, large, lost]) await expect.poll(() => socket.closed, SOON).toBe(true)
  const right = await ask(`${files}\r\n${token}\r\nContent-Length: ${form.length}`)
  expect(right.answer).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  right.socket.write(form)
  expect(await answerOf(right.socket)).toMatch(/^HTTP\/1\.1 200 [^]*connection: keep-alive/i)
  right.socket.destroy()
  const json = '{"text":"hello"}'
  const text = await ask(
    `POST ${path}/messages HTTP/1.1\r\n${token}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}`,
  )
  expect(text.answer).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  text.socket.write(json)
  expect(await answerOf(text.socket)).toMatch(/^HTTP\/1\.1 200 /)
  text.socket.destroy()
  expect(await api.ok('GET', `${path}/messages`)).toHaveLength(2)
})
