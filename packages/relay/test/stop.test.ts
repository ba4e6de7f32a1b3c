// How a relay stops: no answered request is lost, and no request stays without an answer.
import { Writable } from 'node:stream'
import { ManualClock, passWhenAwaited } from '@postern/testkit/clock'
import { databaseOf } from '@postern/testkit/test-databases'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import type { RelayStore, StoreOptions } from '../src/store/relay-store.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { arrive, chatOf, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { messageEnvelope } from './test-client.ts'

/** The store of this test run. */
async function openStore(options: StoreOptions): Promise<RelayStore> {
  const database = await databaseOf(options.directory)
  return database === undefined ? openSqliteStore(options) : await openPostgresStore(database, options)
}

const heldBy = (gate: Promise<void>) => async (options: StoreOptions) => {
  const store = await openStore(options)
  const append = store.append.bind(store)
  store.append = async request => {
    await gate
    return append(request)
  }
  return store
}

describe('stopping', () => {
  test('[RELAY-2.14] answers what is in flight, makes it durable and says goodbye', async () => {
    const gate = Promise.withResolvers<void>()
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory, openStore: heldBy(gate.promise) })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const sends = Array.from({ length: 5 }, () => alice.append(messageEnvelope({ group, epoch: 1 })))
    // Answered after them: they have arrived.
    await alice.call('ping', {})
    const stopped = relay.stop()
    expect((await bob.closed).code).toBe(1001)
    await expect(openClient(relay).challenge).rejects.toThrow()
    gate.resolve()
    expect((await Promise.all(sends)).map(verdict => verdict.accepted?.seq)).toEqual([2, 3, 4, 5, 6])
    expect(await alice.closed).toEqual({ code: 1001, reason: 'relay-stopping' })
    await stopped

    const again = await testRelay({ dataDirectory })
    const reader = await arrive(again, bob.person)
    await reader.call('follow', { after: 0 })
    expect((await reader.delivered(6)).map(entry => entry.seq)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('[RELAY-2.14] within the time set, whatever is still open', async () => {
    const clock = new ManualClock()
    const never = new Promise<void>(() => {})
    const relay = await testRelay({ clock, openStore: heldBy(never), limits: { stopWithinMs: 3000 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const lost = alice.append(messageEnvelope({ group, epoch: 1 })).catch((error: unknown) => error)
    await alice.call('ping', {})
    const stopped = relay.stop()
    await bob.closed
    expect(await passWhenAwaited(clock, 3000, lost)).toMatchObject({ message: 'closed' })
    await stopped
  })

  test('[RELAY-2.14] twice is once', async () => {
    const relay = await testRelay()
    await Promise.all([relay.stop(), relay.stop()])
  })
})

describe('logs', () => {
  const failing = () => Promise.reject(new Error('broken'))

  test('[RELAY-2.16] hold no payloads, no tokens and no keys', async () => {
    const lines: string[] = []
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const broken = async (options: StoreOptions) => Object.assign(await openStore(options), { append: failing })
    const relay = await testRelay({ log: pino({ level: 'trace' }, stream), openStore: broken })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const payload = messageEnvelope({ group, epoch: 1 })
    await expect(alice.append(payload)).rejects.toMatchObject({ code: 'internal' })
    const { blob, token } = await alice.call('beginBlob', { size: 5 })
    await fetch(`${relay.url}/blobs/${blob}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}` },
      body: 'x',
    })
    await relay.stop()
    const logged = lines.join('')
    expect(logged).toContain('call failed')
    for (const secret of [payload.subarray(32, 60), alice.person.account.publicKey]) {
      const forms = (['hex', 'base64', 'latin1'] as const).map(encoding => Buffer.from(secret).toString(encoding))
      for (const form of [...forms, secret.join(',')]) expect(logged).not.toContain(form)
    }
    expect(logged).not.toContain(token)
  })
})
