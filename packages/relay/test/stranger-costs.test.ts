// The costs that peers without a login can cause at the relay. Counts, not timings.
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { httpLimits, relayFixedLimits } from '@postern/protocol'
import { expect, onTestFinished, test } from 'vitest'
import { begin, put } from './put-blob.ts'
import { arrive, testRelay } from './relay-fixture.ts'

async function dial(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  // The tests expect to be cut off.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const closed = async (socket: Socket): Promise<void> => {
  socket.resume()
  if (!socket.closed) await new Promise<void>(resolve => socket.once('close', () => resolve()))
}

const asking = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: relay\r\n\r\n`

/** Counts the open files of this process, in which the relay runs. */
const filesOpen = (name: string): number =>
  readdirSync('/proc/self/fd').filter(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes(name)
    } catch {
      return false
    }
  }).length

test('[RELAY-3.16] of the blobs that one connection asks for, one is read at a time', async () => {
  const relay = await testRelay()
  const size = 8_000_000
  const begun = await begin(relay, await arrive(relay), size)
  await put(begun, Buffer.alloc(size, 'x'), 0)
  const mallory = await dial(relay.url)
  const most: number[] = []
  mallory.write(asking(`/blobs/${begun.blob}`).repeat(1 + httpLimits.pipelinedMax))
  let bytes = 0
  mallory.on('data', (piece: Uint8Array) => {
    bytes += piece.length
    most.push(filesOpen(begun.blob))
    if (bytes > size * (1 + httpLimits.pipelinedMax)) mallory.destroy()
  })
  await once(mallory, 'close')
  expect(Math.max(...most)).toBe(1)
})

test('[RELAY-3.16] past so many requests that wait the connection is cut, and others are served', async () => {
  const relay = await testRelay()
  const size = 8_000_000
  const begun = await begin(relay, await arrive(relay), size)
  await put(begun, Buffer.alloc(size, 'x'), 0)
  const mallory = await dial(relay.url)
  mallory.pause()
  mallory.write(asking(`/blobs/${begun.blob}`).repeat(900))
  await closed(mallory)
  expect(filesOpen(begun.blob)).toBeLessThanOrEqual(1)
  expect((await fetch(`${relay.url}/healthz`)).status).toBe(200)
})

test('[RELAY-3.16] a request behind another is counted like any other, and its place is given back', async () => {
  const relay = await testRelay({ limits: { httpConnectionsMax: 1 } })
  const alice = await dial(relay.url)
  alice.write(asking('/healthz').repeat(3))
  let answers = ''
  alice.on('data', (piece: Uint8Array) => (answers += String(piece)))
  await expect.poll(() => answers.match(/HTTP\/1\.1 200/g)?.length).toBe(3)
  expect((await fetch(`${relay.url}/healthz`)).status).toBe(200)
})

test('[RELAY-3.17] a piece of a blob without its token is not read, and leaves no file and no row', async () => {
  const relay = await testRelay()
  const mallory = await dial(relay.url)
  mallory.write(
    `PUT /blobs/${'a'.repeat(32)} HTTP/1.1\r\nHost: relay\r\nUpload-Offset: 0\r\nContent-Length: 1000000\r\n\r\n`,
  )
  expect(String((await once(mallory, 'data'))[0])).toMatch(/^HTTP\/1\.1 40[14]/)
  expect(filesOpen('a'.repeat(32))).toBe(0)
})

test('[RELAY-5.13] metrics have a few places, and are made once at a time for each', async () => {
  const relay = await testRelay({ metrics: { host: '127.0.0.1', port: 0 } })
  const url = relay.metricsUrl ?? ''
  const mallory = await dial(url)
  mallory.pause()
  mallory.write(asking('/metrics').repeat(500))
  await closed(mallory)
  const many = await Promise.all(Array.from({ length: relayFixedLimits.metricsConnectionsMax }, () => dial(url)))
  const beyond = await dial(url)
  await closed(beyond)
  many[0]?.write(asking('/metrics'))
  expect(String((await once(many[0] as Socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
})
