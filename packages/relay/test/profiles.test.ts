// Profiles as the holder of an invite link sees them before registering.
import { encodeWith } from '@postern/protocol'
import { calls } from '@postern/protocol/relay'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'
import { arrive, testRelay } from './relay-fixture.ts'
import { newPerson } from './test-client.ts'

const MINUTE_MS = 60_000

describe('GET /profiles/<account>', () => {
  test('[RELAY-3.14] answers what the call does, to anybody, and always the newest', async () => {
    const relay = await testRelay()
    const alice = await arrive(relay)
    const bob = await arrive(relay)
    const path = `${relay.url}/profiles/${alice.id}`
    for (const version of [1, 2]) {
      await alice.call('putProfile', { version, blob: Buffer.alloc(200_000, version) })
      const answer = await fetch(path)
      const called = await bob.call('getProfile', { account: alice.id })
      expect(called.version).toBe(version)
      expect(Buffer.from(await answer.bytes()).equals(encodeWith(calls.getProfile.answer, called))).toBe(true)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
      })
    }
    const head = await fetch(path, { method: 'HEAD' })
    expect([head.status, Number(head.headers.get('content-length')) > 200_000]).toEqual([200, true])
  })

  test('[RELAY-3.14] an account that is not there is 404, for other origins to read, and so is what is no account', async () => {
    const { url } = await testRelay()
    const unknown = await fetch(`${url}/profiles/${newPerson().id}`)
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'account-not-found' }])
    expect(unknown.headers.get('access-control-allow-origin')).toBe('*')
    for (const path of ['', 'a', '..%2fhealthz', `${newPerson().id}/`, newPerson().id.toUpperCase()]) {
      const answer = await fetch(`${url}/profiles/${path}`)
      expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not-found' }])
    }
    const changed = await fetch(`${url}/profiles/${newPerson().id}`, { method: 'PUT', body: 'x' })
    expect([changed.status, await changed.json()]).toMatchObject([404, { code: 'not-found' }])
  })

  test('[RELAY-3.14] asking is limited by address, found or not, and by the minute', async () => {
    const clock = new ManualClock(MINUTE_MS * 1000)
    const proxies = { header: 'X-From', count: 1 }
    const relay = await testRelay({ clock, proxies, limits: { profilesPerAddressPerMinute: 3, profilesPerMinute: 5 } })
    const { id } = await arrive(relay)
    const statusFor = async (address: string, account: string = id) =>
      (await fetch(`${relay.url}/profiles/${account}`, { headers: { 'X-From': address } })).status
    expect([await statusFor('192.0.2.1'), await statusFor('192.0.2.1', newPerson().id)]).toEqual([200, 404])
    expect([await statusFor('192.0.2.1'), await statusFor('192.0.2.1')]).toEqual([200, 429])
    // Not even to report that there is nothing.
    expect(await statusFor('192.0.2.1', newPerson().id)).toBe(429)
    expect([await statusFor('192.0.2.2'), await statusFor('192.0.2.3')]).toEqual([200, 200])
    expect(await statusFor('192.0.2.4')).toBe(429)
    clock.advance(MINUTE_MS)
    expect(await statusFor('192.0.2.1')).toBe(200)
  })
})
