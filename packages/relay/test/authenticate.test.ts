// Authentication: the challenge, the proof, and what a connection may do before it.
import { randomBytes } from 'node:crypto'
import { decodeDeviceCertificate, encodeDeviceCertificate, REPLACED_CLOSE_CODE } from '@postern/protocol/relay'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'
import type { Relay } from '../src/index.ts'
import type { RelayStore, StoreOptions } from '../src/store/relay-store.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { arrive, openClient, testRelay } from './relay-fixture.ts'
import { anotherDevice, type BarePerson, commitEnvelope, newGroupId, newPerson, proofOf } from './test-client.ts'

describe('before it is known who speaks', () => {
  test('[RELAY-2.1] the relay speaks first, and every other call fails', async () => {
    const client = openClient(await testRelay())
    const challenge = await client.challenge
    expect(challenge.nonce).toHaveLength(32)
    await expect(client.call('ping', {})).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(client.call('createGroup', { group: newGroupId(), continues: undefined })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await expect(client.call('follow', { after: 0 })).rejects.toMatchObject({ code: 'unauthenticated' })
    await client.authenticate(newPerson())
    await client.call('ping', {})
  })

  test('[RELAY-2.1] no two challenges are the same', async () => {
    const relay = await testRelay()
    const [first, second] = await Promise.all([openClient(relay).challenge, openClient(relay).challenge])
    expect(first.nonce).not.toEqual(second.nonce)
  })

  test('[RELAY-2.1] an acknowledgement before it closes the connection', async () => {
    const client = openClient(await testRelay())
    await client.challenge
    client.acknowledge(1)
    expect((await client.closed).code).toBe(1008)
  })

  test('[RELAY-2.4] in time', async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock, limits: { authenticateWithinMs: 5000 } })
    const [late, alice] = [openClient(relay), await arrive(relay)]
    await late.challenge
    clock.advance(5001)
    expect((await late.closed).code).toBe(1008)
    await alice.call('ping', {})
  })

  test('[RELAY-2.4] or after a few tries', async () => {
    const client = openClient(await testRelay({ limits: { authenticateTriesMax: 2 } }))
    const unknown = { code: 'account-unknown' }
    await expect(client.authenticate(newPerson(), 'login')).rejects.toMatchObject(unknown)
    await expect(client.authenticate(newPerson(), 'login')).rejects.toMatchObject(unknown)
    expect((await client.closed).code).toBe(1008)
  })
})

describe('the proof', () => {
  const alice = newPerson()
  const attempt = async (spoil: (proof: ReturnType<typeof proofOf>, nonce: Uint8Array, host: string) => unknown) => {
    const client = openClient(await testRelay())
    const { nonce } = await client.challenge
    const proof = proofOf(alice, { nonce, audience: client.host })
    const spoilt = spoil(proof, nonce, client.host) as typeof proof
    return client.call('authenticate', { ...spoilt, intent: 'register' })
  }

  test('[RELAY-2.2] a right one is accepted', async () => {
    expect(await attempt(proof => proof)).toMatchObject({ account: alice.id, cursor: 0, mark: 0, keyPackages: 0 })
  })

  test.each([
    ['another signature', (proof: object) => ({ ...proof, signature: randomBytes(64) }), 'unauthenticated'],
    ['another device', (proof: object) => ({ ...proof, deviceKey: newPerson().device.publicKey }), 'bad-certificate'],
    [
      'another account',
      (proof: object) => ({ ...proof, accountKey: newPerson().account.publicKey }),
      'bad-certificate',
    ],
    ['no key at all', (proof: object) => ({ ...proof, accountKey: new Uint8Array(32).fill(255) }), 'bad-certificate'],
    ['a torn certificate', (proof: object) => ({ ...proof, certificate: randomBytes(10) }), 'frame-malformed'],
  ])('[RELAY-2.2] %s is refused', async (_what, spoil, code) => {
    await expect(attempt(spoil)).rejects.toMatchObject({ code })
  })

  test('[RELAY-2.2] a challenge of another connection is refused', async () => {
    const stale = attempt((_proof, _nonce, audience) => proofOf(alice, { nonce: randomBytes(32), audience }))
    await expect(stale).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('[RELAY-2.2] an expired certificate is refused, and so is one whose time was changed', async () => {
    const expired = attempt((_proof, nonce, audience) => proofOf(alice, { nonce, audience, notAfterSec: 1_000_000 }))
    await expect(expired).rejects.toMatchObject({ code: 'bad-certificate' })
    const changed = attempt(proof => {
      const certificate = decodeDeviceCertificate(proof.certificate)
      return { ...proof, certificate: encodeDeviceCertificate({ ...certificate, notAfterSec: 5_000_000_000 }) }
    })
    await expect(changed).rejects.toMatchObject({ code: 'bad-certificate' })
  })

  test('[RELAY-2.2] one made for another host is refused, and the answer says what the operator has to do', async () => {
    const peerEvents = attempt((_proof, nonce) => proofOf(alice, { nonce, audience: 'other.example' }))
    await expect(peerEvents).rejects.toMatchObject({ code: 'unauthenticated', message: /--public-host/ })
  })

  test('[RELAY-2.2] once is enough', async () => {
    const client = await arrive(await testRelay())
    await expect(client.authenticate(client.person)).rejects.toMatchObject({ code: 'unauthenticated' })
    await client.call('ping', {})
  })
})

describe('serials of certificates', () => {
  const login = async (relay: Relay, person: BarePerson, serial: number) => {
    const client = openClient(relay)
    const { nonce } = await client.challenge
    await client.call('authenticate', { ...proofOf(person, { nonce, audience: client.host, serial }), intent: 'login' })
    return client
  }

  test('[RELAY-2.2] below the highest that was seen it is revoked, and the answer tells which that is', async () => {
    const relay = await testRelay()
    const { person } = await arrive(relay)
    await login(relay, person, 7)
    await expect(login(relay, person, 6)).rejects.toMatchObject({
      code: 'bad-certificate',
      message: expect.stringContaining('revoked'),
      details: { serial: 7 },
    })
    await login(relay, person, 7)
    await login(relay, person, 8)
  })

  test('[RELAY-2.2] of two that come at once with different ones, only the higher stays', async () => {
    const relay = await testRelay()
    const { person } = await arrive(relay)
    const [lower, higher] = await Promise.allSettled([2, 3].map(serial => login(relay, anotherDevice(person), serial)))
    if (lower?.status === 'fulfilled') expect((await lower.value.closed).code).toBe(REPLACED_CLOSE_CODE)
    if (higher?.status !== 'fulfilled') throw new Error('the higher one was refused')
    await higher.value.call('ping', {})
  })

  test('[RELAY-2.2] only who has proved the key of the device lifts it', async () => {
    const relay = await testRelay()
    const { person } = await arrive(relay)
    const mallory = openClient(relay)
    const { nonce } = await mallory.challenge
    const seen = proofOf(person, { nonce, audience: mallory.host, serial: 1000 })
    const replayed = mallory.call('authenticate', { ...seen, signature: randomBytes(64), intent: 'login' })
    await expect(replayed).rejects.toMatchObject({ code: 'unauthenticated' })
    await login(relay, person, 1)
  })

  test('[RELAY-2.17] a device with a higher serial ends the connections of those before it', async () => {
    const relay = await testRelay()
    const older = await arrive(relay)
    await login(relay, anotherDevice(older.person), 2)
    expect(await older.closed).toMatchObject({ code: REPLACED_CLOSE_CODE })
  })

  test('[RELAY-2.17] also when its own was over before it was let in', async () => {
    const { promise: raised, resolve: isRaised } = Promise.withResolvers<void>()
    const { promise: gate, resolve: letGo } = Promise.withResolvers<void>()
    const openStore = (options: StoreOptions): RelayStore => {
      const store = openSqliteStore(options)
      const raiseSerial = store.raiseSerial.bind(store)
      store.raiseSerial = async (...given) => {
        const highest = await raiseSerial(...given)
        if (given[1] !== 2) return highest
        isRaised()
        await gate
        return highest
      }
      return store
    }
    const clock = new ManualClock()
    const relay = await testRelay({ openStore, clock, limits: { authenticateWithinMs: 5000 } })
    const older = await arrive(relay)
    const gone = openClient(relay)
    const { nonce } = await gone.challenge
    const proof = proofOf(anotherDevice(older.person), { nonce, audience: gone.host, serial: 2 })
    const refused = gone.call('authenticate', { ...proof, intent: 'login' }).catch(String)
    await raised
    clock.advance(5001)
    expect(await refused).toContain('closed')
    letGo()
    expect(await older.closed).toMatchObject({ code: REPLACED_CLOSE_CODE })
  })
})

describe('registering', () => {
  test('[RELAY-2.3] who is unknown registers, once; the relay lost its data when a login is unknown', async () => {
    const relay = await testRelay({ limits: { registrationsPerMinute: 1 } })
    const alice = newPerson()
    const stranger = openClient(relay)
    await expect(stranger.authenticate(alice, 'login')).rejects.toMatchObject({ code: 'account-unknown' })
    await stranger.authenticate(alice, 'register')
    await openClient(relay).authenticate(alice, 'register')
    await openClient(relay).authenticate(alice, 'login')
  })

  test('[RELAY-2.3] no faster than the rate', async () => {
    const clock = new ManualClock(Date.UTC(2030, 0, 1, 0, 0, 10))
    const relay = await testRelay({ clock, limits: { registrationsPerMinute: 2 } })
    await arrive(relay)
    await arrive(relay)
    const refused = openClient(relay).authenticate(newPerson())
    await expect(refused).rejects.toMatchObject({
      code: 'rate-limited',
      details: { retryAtMs: Date.UTC(2030, 0, 1, 0, 1, 0) },
    })
    clock.advance(50_000)
    await arrive(relay)
  })

  test('[RELAY-2.3] and no more than the cap', async () => {
    const relay = await testRelay({ limits: { accountsMax: 1 } })
    const alice = await arrive(relay)
    await expect(openClient(relay).authenticate(newPerson())).rejects.toMatchObject({ code: 'rate-limited' })
    await openClient(relay).authenticate(alice.person, 'register')
  })

  test('[RELAY-1.5] the answer tells how far the account has acknowledged, with its mark and key packages', async () => {
    const relay = await testRelay()
    const alice = await arrive(relay)
    const bob = await arrive(relay)
    await bob.call('publishKeyPackages', { oneTime: [randomBytes(20)], lastResort: undefined, replace: false })
    const group = newGroupId()
    await alice.call('createGroup', { group, continues: undefined })
    await alice.commit(commitEnvelope({ group, epoch: 0 }), { add: [bob.id] })
    await bob.call('follow', { after: 0 })
    await bob.delivered(1)
    bob.acknowledge(bob.lastCursor, 42)
    // A later write on the same connection writes the acknowledgement too.
    await bob.call('putProfile', { version: 1, blob: randomBytes(5) })
    expect(await openClient(relay).authenticate(bob.person, 'login')).toMatchObject({
      cursor: bob.lastCursor,
      mark: 42,
      keyPackages: 1,
    })
  })
})
