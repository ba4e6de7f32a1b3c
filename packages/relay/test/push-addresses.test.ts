// Endpoints are strangers' words: none of them leads into the operator's network.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '@postern/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isInside } from '../src/push/inside-addresses.ts'
import { type LookUp, PushPoster } from '../src/push/post-push.ts'
import { hostRefusal, PushHosts } from '../src/push/push-hosts.ts'

/** Counts who connects to this machine. */
async function insideServer(): Promise<{ port: number; count: () => number }> {
  let connections = 0
  const server = createServer(socket => {
    connections += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, count: () => connections }
}

/** Answers with the next of these addresses each time. */
function lookUpOf(...answers: string[]): LookUp & { asked: number } {
  const lookUp = (_host: string, _options: unknown, done: (error: null, found: object[]) => void): void => {
    const address = answers[Math.min(lookUp.asked, answers.length - 1)] ?? ''
    lookUp.asked += 1
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }])
  }
  lookUp.asked = 0
  return lookUp as never
}

const post = (endpoint: string) => ({ endpoint: new URL(endpoint), headers: {}, body: Buffer.from('push') })

function poster(hosts: readonly string[], lookUp?: LookUp): PushPoster {
  const made = new PushPoster({ clock: systemClock, hosts: new PushHosts(hosts), lookUp })
  onTestFinished(() => made.close())
  return made
}

describe('addresses', () => {
  test.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.8.8.8',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...['192.168.1.1', '192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:8.8.8.8',
      'fe80::1',
      'fc00::1',
      'fd12::1',
      'ff02::1',
    ],
    ...['64:ff9b::a00:1', '2002:a00:1::1', '2001::1', '2001:db8::1'],
  ])('[RELAY-10.18] %s is inside', address => {
    expect(isInside(address)).toBe(true)
  })
  test.each(['8.8.8.8', '142.250.1.1', '172.32.0.1', '2a00:1450:4001::200e', '2606:4700::1'])(
    '[RELAY-10.18] %s is outside',
    address => {
      expect(isInside(address)).toBe(false)
    },
  )
})

describe('a name', () => {
  const endpoint = 'https://updates.push.services.mozilla.com/1'
  const { signal } = new AbortController()

  test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1'])(
    '[RELAY-10.18] that is at %s is not connected to',
    async address => {
      const lookUp = lookUpOf(address)
      expect(await poster([], lookUp).post(post(endpoint), signal)).toEqual({ kind: 'failed', code: 'EINSIDE' })
      expect(lookUp.asked).toBe(1)
    },
  )

  test('[RELAY-10.19] is resolved once for a connection: another answer changes nothing', async () => {
    // Outside at the check, and inside at a second request.
    const lookUp = lookUpOf('9.9.9.9', '127.0.0.1')
    const stop = new AbortController()
    const answer = poster([], lookUp).post(post(endpoint), stop.signal)
    for (let turns = 0; turns < 10; turns++) await nextTurn()
    stop.abort()
    expect(await answer).toMatchObject({ kind: 'failed', code: expect.not.stringMatching('EINSIDE') })
    expect(lookUp.asked).toBe(1)
  })

  test('[RELAY-10.18] that the operator has listed may be inside', async () => {
    const inside = await insideServer()
    const host = `localhost:${inside.port}`
    await poster([host]).post(post(`https://${host}/1`), signal)
    expect(inside.count()).toBeGreaterThan(0)
  })

  test('[RELAY-10.18] that is listed no longer is not asked', async () => {
    const inside = await insideServer()
    const asked = poster([]).post(post(`https://localhost:${inside.port}/1`), signal)
    expect(await asked).toEqual({ kind: 'failed', code: 'EINSIDE' })
    expect(inside.count()).toBe(0)
  })
})

describe('hosts of the operator', () => {
  test.each([
    'push.example.org',
    'push.example.org:8443',
    'http://127.0.0.1:8080',
    'http://[::1]:80',
    'http://localhost:1',
  ])('[RELAY-10.20] %s is one', host => {
    expect(hostRefusal(host.replace(':80', ':81'))).toBeUndefined()
  })
  test.each([
    ['https://push.example.org', 'is not a host'],
    ['push.example.org/path', 'is not a host'],
    ['http://push.example.org', 'must be https'],
    ['http://192.168.1.1:80', 'is not a host'],
    ['http://192.168.1.1:8080', 'must be https'],
    ['*', 'is not a host'],
  ])('[RELAY-10.20] %s is none', (host, why) => {
    expect(hostRefusal(host)).toContain(why)
  })
})
