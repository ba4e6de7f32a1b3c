// The host for which a login proof was made: an attacker who forwards one controls only the Host header.
import type { ListenAddress } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import { type RelayOptions, startRelay } from '../src/index.ts'
import { openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { newPerson, proofOf } from './test-client.ts'

const alice = newPerson()

async function logIn(options: Partial<RelayOptions>, given: { audience: string; host?: string }): Promise<string> {
  const relay = await testRelay(options)
  const client = openClient(relay, given.host === undefined ? {} : { headers: { host: given.host } })
  const { nonce } = await client.challenge
  const audience = given.audience.replace('PORT', String(relay.port))
  const proof = { ...proofOf(alice, { nonce, audience }), intent: 'register' as const }
  return await client.call('authenticate', proof).then(
    () => 'let in',
    (error: unknown) => (error as Error).message,
  )
}

const turnedAway = /made for the host .* --public-host/

test('[RELAY-2.2] mallory cannot pass on what alice signed for her, whatever she writes into the Host header', async () => {
  const passedOn = { audience: 'mallory.example', host: 'mallory.example' }
  expect(await logIn({}, passedOn)).toMatch(turnedAway)
  expect(await logIn({ publicHosts: ['relay.example'] }, passedOn)).toMatch(turnedAway)
})

test('[RELAY-2.2] with public hosts those count, and only those', async () => {
  const publicHosts = ['Relay.Example', 'other.example:8443', 'third.example:443']
  for (const audience of ['relay.example', 'other.example:8443', 'third.example'])
    expect(await logIn({ publicHosts }, { audience, host: 'mallory.example' })).toBe('let in')
  for (const audience of ['127.0.0.1:PORT', 'other.example', 'relay.example:PORT', ''])
    expect(await logIn({ publicHosts }, { audience, host: audience })).toMatch(turnedAway)
})

test('[RELAY-2.2] without them those of the address it listens on: on loopback, by any of its names', async () => {
  for (const audience of ['127.0.0.1:PORT', 'localhost:PORT', '[::1]:PORT'])
    expect(await logIn({}, { audience })).toBe('let in')
  for (const audience of ['127.0.0.1', 'localhost', '127.0.0.1:1', '127.0.0.2:PORT', 'relay.example'])
    expect(await logIn({}, { audience })).toMatch(turnedAway)
})

test('[RELAY-2.35] a page of any origin may connect, and no answer gives it anything that a browser would keep', async () => {
  const relay = await testRelay()
  const headers = { origin: 'http://127.0.0.1:22631', cookie: 'account=alice' }
  const client = openClient(relay, { headers })
  await client.authenticate(alice)
  const paths = ['/', '/healthz', `/profiles/${alice.id}`, `/blobs/${'a'.repeat(32)}`, '/nothing']
  for (const path of paths)
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await fetch(relay.url + path, { method, headers })
      const kept = ['set-cookie', 'access-control-allow-credentials', 'www-authenticate']
      expect(kept.filter(name => answer.headers.has(name))).toEqual([])
    }
  const stranger = openClient(relay, { headers })
  await stranger.challenge
  await expect(stranger.call('getProfile', { account: alice.id })).rejects.toThrow()
})

describe('a relay that cannot know its hosts', () => {
  const start = (listen: ListenAddress, publicHosts: string[] = []) =>
    startRelay({ listen, publicHosts, dataDirectory: temporaryDirectory() })

  test.each([undefined, '0.0.0.0', '::'])(
    '[RELAY-2.18] does not start on %s, and says which option is missing',
    async host => {
      await expect(start({ host, port: 0 })).rejects.toMatchObject({
        code: 'bad-field',
        message: expect.stringMatching(/^--public-host: must name the host/),
      })
      const relay = await start({ host, port: 0 }, ['relay.example'])
      await relay.stop()
    },
  )

  test.each(['https://relay.example', 'relay.example/', 'a b', '', 'alice@relay.example', 'relay.example:x'])(
    '[RELAY-2.18] nor with the host %j',
    async host => {
      const field = expect.stringMatching(/^--public-host: .* is not a host/)
      await expect(start({ host: '127.0.0.1', port: 0 }, [host])).rejects.toMatchObject({ message: field })
    },
  )
})
