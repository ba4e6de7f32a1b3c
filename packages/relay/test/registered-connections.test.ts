// Peers that do not log in: they cost little, take nobody's place, and are cut off.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { relayFixedLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Relay } from '../src/index.ts'
import { addressKey } from '../src/limits/peer-address.ts'
import { arrive, openClient, testRelay } from './relay-fixture.ts'
import { newPerson, type TestClient } from './test-client.ts'

/** A peer that does exactly what the test says. */
async function dial(relay: Relay, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: relay.port, host: '127.0.0.1', localAddress })
  onTestFinished(() => void socket.destroy())
  // The tests expect to be cut off.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const HANDSHAKE = [
  'GET /relay/v1 HTTP/1.1',
  'Host: relay',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
]
const headOf = (lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`

/** On the WebSocket, after reading the challenge; reads nothing afterwards. */
async function upgraded(relay: Relay, headers: string[] = [], from?: string): Promise<Socket> {
  const socket = await dial(relay, from)
  socket.write(headOf([...HANDSHAKE, ...headers]))
  await once(socket, 'data')
  socket.pause()
  return socket
}

/** Asks for a WebSocket and ends its side, and reads what still comes. In a thread of its own: the relay's may stand. */
const LEAVING_PEER = `
  const { connect } = require('node:net')
  const { parentPort, workerData: { port, head, hasLeft } } = require('node:worker_threads')
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const leave = () => (Atomics.store(hasLeft, 0, 1), Atomics.notify(hasLeft, 0))
  let heard = ''
  socket.setEncoding('latin1').on('data', text => (heard += text)).on('finish', leave).on('error', leave)
  socket.on('close', () => parentPort.postMessage(heard)).end(head)
`

/** A peer whose request and goodbye both wait in the system when the relay comes to them. Resolves with the bytes that it received. */
async function heardByOneThatLeft(relay: Relay): Promise<string> {
  const hasLeft = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { port: relay.port, head: headOf(HANDSHAKE), hasLeft }
  const peer = new Worker(LEAVING_PEER, { eval: true, workerData })
  Atomics.wait(hasLeft, 0, 0)
  const [heard] = await once(peer, 'message')
  return heard
}

/** One binary frame that announces more bytes than it contains. */
const hugeFrame = (bytes: number): Buffer => {
  const head = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x3f, 0xff, 0xff, 0, 0, 0, 0])
  return Buffer.concat([head, Buffer.alloc(bytes)])
}

const isClosed = async (socket: Socket): Promise<true> => {
  socket.resume()
  if (!socket.closed) await new Promise<void>(resolve => socket.once('close', () => resolve()))
  return true
}

describe('before the login', () => {
  test('[RELAY-2.19] a peer that sends more than a login needs is cut off at once', async () => {
    const relay = await testRelay()
    const alice = await arrive(relay)
    const mallory = await upgraded(relay)
    mallory.write(hugeFrame(3_000_000))
    expect(await isClosed(mallory)).toBe(true)
    // After the login, a client may send as much as the protocol allows.
    await alice.call('putProfile', { version: 1, blob: Buffer.alloc(200_000) })
  })

  test('[RELAY-2.19] calls that fail are counted, whatever they are', async () => {
    const relay = await testRelay({ limits: { authenticateTriesMax: 3 } })
    const client = openClient(relay)
    await client.challenge
    const unauthenticated = { code: 'unauthenticated' }
    for (let at = 0; at < 3; at++) await expect(client.call('ping', {})).rejects.toMatchObject(unauthenticated)
    expect((await client.closed).code).toBe(1008)
  })

  test('[RELAY-2.4] who does not log in in time is cut off, also who neither reads nor answers', async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock })
    const alice = await arrive(relay)
    const peers = await Promise.all(Array.from({ length: 20 }, () => upgraded(relay)))
    for (const peer of peers) peer.write(hugeFrame(4_000))
    await alice.call('ping', {})
    clock.advance(10_001)
    for (const peer of peers) expect(await isClosed(peer)).toBe(true)
    await alice.call('ping', {})
  })

  test('[RELAY-2.4] who asks for nothing is cut off as well, and who is slow to ask', async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock })
    const [silent, slow] = [await dial(relay), await dial(relay)]
    slow.write('GET /relay/v1 HTTP/1.1\r\nHost: ')
    await arrive(relay)
    clock.advance(10_001)
    expect(await isClosed(silent)).toBe(true)
    expect(await isClosed(slow)).toBe(true)
  })

  test('[RELAY-2.19] a head that is too long is refused', async () => {
    const socket = await dial(await testRelay())
    socket.write(headOf([...HANDSHAKE, `X: ${'x'.repeat(9_000)}`]))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 431 /)
  })
})

describe('places', () => {
  test("[RELAY-2.20] those who do not log in take nobody else's place: the oldest of them goes", async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock, limits: { connectionsMax: 3, unauthenticatedMax: 2 } })
    const alice = await arrive(relay)
    const first = await upgraded(relay)
    clock.advance(relayFixedLimits.newcomerPatienceMs)
    const second = await upgraded(relay)
    // Two hold all places of that kind; a client that comes and logs in is admitted all the same.
    const bob = await arrive(relay)
    const carol = await arrive(relay)
    expect(await isClosed(first)).toBe(true)
    expect(second.closed).toBe(false)
    for (const person of [alice, bob, carol]) await person.call('ping', {})
    await expect(openClient(relay).challenge).rejects.toThrow('503')
  })

  test('[RELAY-2.20] the time that a connection waited for its challenge is not taken from its login', async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock, limits: { unauthenticatedMax: 1 } })
    const alice = await dial(relay)
    clock.advance(relayFixedLimits.newcomerPatienceMs)
    alice.write(headOf(HANDSHAKE))
    await once(alice, 'data')
    await expect(openClient(relay).challenge).rejects.toThrow()
    expect(alice.closed).toBe(false)
    clock.advance(relayFixedLimits.newcomerPatienceMs)
    await openClient(relay).challenge
    expect(await isClosed(alice)).toBe(true)
  })

  test('[RELAY-2.39] one that has hung up before its turn gets no challenge, and the next one does', async () => {
    const relay = await testRelay()
    expect(await heardByOneThatLeft(relay)).toBe('')
    await openClient(relay).challenge
  })

  test('[RELAY-2.20] until they have had time to log in, the next one goes instead', async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock, limits: { unauthenticatedMax: 2 } })
    const held = [await upgraded(relay), await upgraded(relay)]
    clock.advance(relayFixedLimits.newcomerPatienceMs - 1)
    expect(await isClosed(await dial(relay))).toBe(true)
    expect(held.map(({ closed }) => closed)).toEqual([false, false])
    clock.advance(1)
    await arrive(relay)
    expect(await isClosed(held[0] as Socket)).toBe(true)
  })

  test('[RELAY-2.20] an address that holds many of the places makes room for others immediately', async () => {
    const relay = await testRelay({ limits: { unauthenticatedMax: 3 } })
    const many = [await upgraded(relay), await upgraded(relay), await upgraded(relay)]
    const other = await upgraded(relay, [], '127.0.0.2')
    expect(await isClosed(many[0] as Socket)).toBe(true)
    expect([...many.slice(1), other].map(({ closed }) => closed)).toEqual([false, false, false])
  })

  test('[RELAY-2.20] one address has a bounded number of them, and others are not concerned', async () => {
    const proxies = { header: 'X-Forwarded-For', count: 1 }
    const relay = await testRelay({ proxies, limits: { newcomersPerAddressMax: 2, connectionsPerAddressMax: 3 } })
    const from = (address: string) => openClient(relay, { headers: { 'x-forwarded-for': address } })
    await Promise.all([from('203.0.113.7').challenge, from('203.0.113.7').challenge])
    await expect(from('203.0.113.7').challenge).rejects.toThrow('503')
    await expect(from('203.0.113.8, 203.0.113.7').challenge).rejects.toThrow('503')
    await from('203.0.113.8').challenge
    // A login frees a place for the next newcomer, up to the limit of an address.
    const members: TestClient[] = []
    for (const address of ['2001:db8::1', '2001:db8::2:0:0:3', '2001:0db8:0:0:ffff::']) {
      const member = from(address)
      await member.authenticate(newPerson())
      members.push(member)
    }
    await expect(from('2001:db8::ffff').challenge).rejects.toThrow('503')
    await from('2001:db8:0:1::1').challenge
    await members[0]?.close()
    await expect
      .poll(() =>
        from('2001:db8::ffff').challenge.then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })

  test('[RELAY-2.20] also when it comes straight to the relay, whatever it says of itself', async () => {
    const relay = await testRelay({ limits: { newcomersPerAddressMax: 2 } })
    const peers = [await upgraded(relay), await dial(relay)]
    const third = await dial(relay)
    third.write(headOf([...HANDSHAKE, 'X-Forwarded-For: 198.51.100.1']))
    expect(await isClosed(third)).toBe(true)
    expect(peers.map(peer => peer.closed)).toEqual([false, false])
  })

  test('[RELAY-2.20] HTTP requests count as well, by the address that the proxy says', async () => {
    const proxies = { header: 'X-Forwarded-For', count: 2 }
    const relay = await testRelay({ proxies, limits: { newcomersPerAddressMax: 1 } })
    const open = await upgraded(relay, ['X-Forwarded-For: 203.0.113.7, 10.0.0.1'])
    const status = async (forwarded: string) => {
      const response = await fetch(`${relay.url}/healthz`, { headers: { 'x-forwarded-for': forwarded } })
      return response.status
    }
    expect(open.closed).toBe(false)
    expect(await status('203.0.113.7, 10.0.0.1')).toBe(503)
    expect(await status('203.0.113.8, 10.0.0.1')).toBe(200)
    expect(await status('203.0.113.7, 203.0.113.8, 10.0.0.1')).toBe(200)
    open.destroy()
    await expect.poll(() => status('203.0.113.7, 10.0.0.1')).toBe(200)
  })
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
])('[RELAY-2.20] %s counts as %s', (address, key) => {
  expect(addressKey(address)).toBe(key)
})
