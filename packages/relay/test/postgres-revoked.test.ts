// Two relays on one database, and a device that is revoked or an account that is banned at one of them,
// at the worst moment for the other.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AccountId, toBase64Url } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { REPLACED_CLOSE_CODE } from '@postern/protocol/relay'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Relay } from '../src/index.ts'
import { DatabaseWay } from './database-way.ts'
import { begin, offsetOf, put } from './put-blob.ts'
import { arrive, chatOf, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { anotherDevice, type BarePerson, idOf, messageEnvelope, proofOf, type TestClient } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Devices that are revoked elsewhere are not tried.`)

/** The database's answers to the first can be held back; those to the second arrive immediately. */
async function twoRelays() {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  const way = await DatabaseWay.to(database)
  const dataDirectory = temporaryDirectory()
  const here = await testRelay({ database: way.address })
  const there = await testRelay({ database, dataDirectory })
  const ban = (account: AccountId) => askControl(dataDirectory, { request: { command: 'ban', arguments: { account } } })
  return { database, way, here, there, ban }
}

async function login(relay: Relay, person: BarePerson, serial = 1): Promise<TestClient> {
  const client = openClient(relay)
  const { nonce } = await client.challenge
  await client.call('authenticate', { ...proofOf(person, { nonce, audience: client.host, serial }), intent: 'login' })
  return client
}

/** With a new device, whose certificate revokes all others of the account. */
const revoke = (relay: Relay, person: BarePerson) => login(relay, anotherDevice(person), 7)

const outcomeOf = (coming: Promise<unknown>) =>
  coming.then(
    () => 'in',
    (error: unknown) => error,
  )

const keyOf = ({ id, device }: BarePerson): string => `${id}.${toBase64Url(device.publicKey)}`
const revoked = { code: 'bad-certificate', details: { serial: 7 } }

describe.skipIf(isMissing)('a device that was revoked at another relay', () => {
  test('[RELAY-7.22] is not let in when that was heard while it was being let in', async () => {
    const { way, here, there } = await twoRelays()
    const alice = await arrive(here)
    const stolen = anotherDevice(alice.person)
    // The database has admitted it, and the relay does not know yet.
    const { answered, letGo } = way.hold(keyOf(stolen))
    const outcome = outcomeOf(login(here, stolen))
    await answered
    await revoke(there, alice.person)
    expect((await alice.closed).code).toBe(REPLACED_CLOSE_CODE)
    letGo()
    expect(await outcome).toMatchObject(revoked)
  })

  test('[RELAY-7.22] is not let in by what was read before, when nothing is heard', async () => {
    const { way, here, there } = await twoRelays()
    const alice = await arrive(here)
    const stolen = anotherDevice(alice.person)
    way.deafen()
    const { answered, letGo } = way.hold(alice.id)
    const outcome = outcomeOf(login(here, stolen))
    await answered
    await revoke(there, alice.person)
    letGo()
    expect(await outcome).toMatchObject(revoked)
  })

  test('[RELAY-7.22] sends nothing more, also where its relay has not heard of it', async () => {
    const { way, here, there } = await twoRelays()
    const [alice, bob] = [await arrive(here), await arrive(here)]
    const group = await chatOf(alice, bob)
    way.deafen()
    const newer = await revoke(there, alice.person)
    const payload = messageEnvelope({ group, epoch: 1 })
    await expect(alice.append(payload)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect((await newer.call('outcome', { group, message: idOf(payload) })).accepted).toBeUndefined()
    expect((await newer.append(payload)).accepted?.duplicate).toBe(false)
    expect((await bob.append(messageEnvelope({ group, epoch: 1 }))).accepted).toBeDefined()
  })

  test('[RELAY-7.22] is cut off as soon as its relay hears again', async () => {
    const { way, here, there } = await twoRelays()
    const [alice, bob] = [await arrive(here), await arrive(here)]
    way.deafen()
    await revoke(there, alice.person)
    way.loseHearing()
    expect(await alice.closed).toMatchObject({ code: REPLACED_CLOSE_CODE, reason: expect.stringContaining('revoked') })
    await bob.call('ping', {})
  })

  test('[RELAY-7.22] is cut off also when its relay could not ask at once what it had not heard', async () => {
    const { way, here, there } = await twoRelays()
    const alice = await arrive(here)
    way.deafen()
    await revoke(there, alice.person)
    const isCut = way.cutAt(keyOf(alice.person))
    way.loseHearing()
    await isCut
    expect((await alice.closed).code).toBe(REPLACED_CLOSE_CODE)
  })

  test('[RELAY-7.22] is cut off where it was revoked, when the relay was not told that this counts', async () => {
    const { way, here } = await twoRelays()
    const alice = await arrive(here)
    // The serial that is shown, as the statement that raises it is asked with it.
    const { answered, lose } = way.hold('{7}')
    const outcome = outcomeOf(revoke(here, alice.person))
    await answered
    lose()
    expect(await outcome).toMatchObject({ code: 'unavailable' })
    expect((await alice.closed).code).toBe(REPLACED_CLOSE_CODE)
  })
})

describe.skipIf(isMissing)('an account that was banned at another relay', () => {
  test('[RELAY-7.22] sends nothing more and is not let in, also where its relay has not heard of it', async () => {
    const { way, here, ban } = await twoRelays()
    const [alice, bob] = [await arrive(here), await arrive(here)]
    const group = await chatOf(alice, bob)
    way.deafen()
    await ban(alice.id)
    const sent = alice.append(messageEnvelope({ group, epoch: 1 }))
    await expect(sent).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(login(here, anotherDevice(alice.person))).rejects.toMatchObject({ code: 'account-banned' })
    expect((await bob.append(messageEnvelope({ group, epoch: 1 }))).accepted).toBeDefined()
  })

  test('[RELAY-7.22] is cut off as soon as its relay hears again', async () => {
    const { way, here, ban } = await twoRelays()
    const [alice, bob] = [await arrive(here), await arrive(here)]
    way.deafen()
    await ban(alice.id)
    way.loseHearing()
    expect((await alice.closed).reason).toContain('account-banned')
    await bob.call('ping', {})
  })

  test('[RELAY-7.22] is shut out of a relay that was just starting, and heard of it too early', async () => {
    const { database, there, ban } = await twoRelays()
    const alice = await arrive(there)
    const begun = await begin(there, alice, 100_000)
    const starting = await DatabaseWay.to(database)
    const { answered, letGo } = starting.hold('SELECT id FROM account WHERE banned_ms')
    const coming = testRelay({ database: starting.address })
    await Promise.all([answered, starting.told()])
    const heard = starting.told('banned')
    await ban(alice.id)
    await heard
    // The relay, which is in this process, must process the notification too.
    await nextTurn()
    await nextTurn()
    letGo()
    const url = `${(await coming).url}/blobs/${begun.blob}`
    let offset = 0
    const upload = async (): Promise<number> => {
      const answer = await put({ ...begun, url }, Buffer.of(1), offset)
      offset = offsetOf(answer)
      return answer.status
    }
    await expect.poll(upload).toBe(403)
  })
})

describe.skipIf(isMissing)('a device that went to another relay', () => {
  test('[RELAY-7.9] does not stay where it was being let in', async () => {
    const { way, here, there } = await twoRelays()
    const [alice, bob] = [await arrive(there), await arrive(here)]
    const { answered, letGo } = way.hold(keyOf(alice.person))
    const outcome = outcomeOf(login(here, alice.person))
    await answered
    const newer = await login(there, alice.person)
    // Notified after it, and received here.
    await login(there, bob.person)
    expect((await bob.closed).code).toBe(REPLACED_CLOSE_CODE)
    letGo()
    expect(await outcome).toMatchObject({ code: 'unauthenticated' })
    await newer.call('ping', {})
  })

  test('[RELAY-7.9] is ended as soon as the relay that it left hears again', async () => {
    const { way, here, there } = await twoRelays()
    const alice = await arrive(here)
    way.deafen()
    const newer = await login(there, alice.person)
    way.loseHearing()
    expect((await alice.closed).code).toBe(REPLACED_CLOSE_CODE)
    await newer.call('ping', {})
  })
})
