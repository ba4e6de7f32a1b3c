// Connections: their limits, their ends, and that no input from the wire ends the relay.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { relayFixedLimits } from '@postern/protocol'
import { encodeClientFrame, PROTOCOL_VERSION } from '@postern/protocol/relay'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { RelayStore, StoreOptions } from '../src/store/relay-store.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { arrive, chatOf, openClient, testRelay } from './relay-fixture.ts'
import { anotherDevice, idOf, messageEnvelope, newPerson } from './test-client.ts'

/** Waits until the other side has had its turns. */
async function settled(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn()
}

describe('malformed frames', () => {
  const frame = encodeClientFrame({ kind: 'call', name: 'ping', id: 7, request: {} })

  test('[RELAY-2.9] of a call are refused by its id, and the connection stays', async () => {
    const alice = await arrive(await testRelay())
    const message = once(alice.socket, 'message')
    alice.socket.send(Buffer.concat([frame, Buffer.from([1])]))
    expect(Buffer.from((await message)[0] as Buffer).toString('latin1')).toContain('frame-malformed')
    await alice.call('ping', {})
  })

  test.each([
    ['an empty frame', Buffer.alloc(0), 1002],
    ['a frame only the relay sends', Buffer.from([PROTOCOL_VERSION, 129, 0, 0, 0, 0]), 1002],
    ['text', 'hello', 1003],
  ])('[RELAY-2.9] %s closes the connection', async (_what, data, code) => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    alice.socket.send(data)
    expect((await alice.closed).code).toBe(code)
    await bob.call('ping', {})
  })

  test.each([1, PROTOCOL_VERSION + 1])(
    '[RELAY-2.9] a peer that speaks version %i is told by the goodbye',
    async version => {
      const alice = await arrive(await testRelay())
      alice.socket.send(Buffer.concat([Buffer.from([version]), frame.subarray(1)]))
      expect(await alice.closed).toEqual({ code: 1002, reason: 'version-unsupported' })
    },
  )

  test('[RELAY-2.9] a frame that is too large closes the connection', async () => {
    const alice = await arrive(await testRelay())
    alice.socket.send(Buffer.alloc(4 * 1024 * 1024 + 1))
    expect((await alice.closed).code).toBe(1009)
  })

  test('[RELAY-2.9] random bytes, torn frames and flipped bits never end the relay', async () => {
    const relay = await testRelay({ limits: { connectionsPerAccountMax: 1000 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const payload = messageEnvelope({ group, epoch: 1 })
    const samples = [
      frame,
      encodeClientFrame({ kind: 'call', name: 'append', id: 1, request: { payload, to: bob.id, leave: false } }),
      encodeClientFrame({
        kind: 'call',
        name: 'commit',
        id: 2,
        request: { payload, add: [bob.id], remove: [], welcome: payload },
      }),
      encodeClientFrame({ kind: 'call', name: 'takeKeyPackages', id: 3, request: { accounts: [bob.id] } }),
      encodeClientFrame({ kind: 'acknowledge', cursor: 5, mark: 1 }),
    ]
    let attacker = await arrive(relay, alice.person)
    for (let round = 0; round < 600; round++) {
      const sample = Buffer.from(samples[round % samples.length] ?? frame)
      if (round % 3 === 0) attacker.socket.send(randomBytes(round % 97))
      else if (round % 3 === 1) attacker.socket.send(sample.subarray(0, round % sample.length))
      else {
        sample[round % sample.length] = (sample[round % sample.length] ?? 0) ^ (1 << (round % 8))
        attacker.socket.send(sample)
      }
      if (round % 10 === 9) {
        await settled(3)
        attacker.socket.terminate()
        attacker = await arrive(relay, alice.person)
      }
    }
    await bob.call('ping', {})
    expect((await bob.call('getGroup', { group })).members).toContain(bob.id)
  })

  test('[RELAY-2.9] what is no WebSocket of this protocol is turned away', async () => {
    const relay = await testRelay()
    const socket = new WebSocket(`${relay.url.replace('http', 'ws')}/elsewhere`)
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error.message).toContain('404')
  })
})

/** Counts the calls that are open at the same time, and lets a test hold them. */
function watchedStore(watch: { open: number; mostOpen: number; calls: number; gate?: Promise<void> }) {
  return (options: StoreOptions): RelayStore => {
    const store = openSqliteStore(options)
    const append = store.append.bind(store)
    store.append = async request => {
      watch.calls += 1
      watch.open += 1
      watch.mostOpen = Math.max(watch.mostOpen, watch.open)
      await watch.gate
      return append(request).finally(() => {
        watch.open -= 1
      })
    }
    const getProfile = store.getProfile.bind(store)
    store.getProfile = account => {
      watch.calls += 1
      return getProfile(account)
    }
    return store
  }
}

describe('a peer that is too fast', () => {
  test('[RELAY-2.10] waits when it sends more frames than it may, and loses none', async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock, limits: { framesPerSecond: 10, framesBurst: 20 } })
    const alice = await arrive(relay)
    let answered = 0
    const pings = Array.from({ length: 50 }, () => alice.call('ping', {}).then(() => answered++))
    await expect.poll(() => answered).toBe(19)
    await settled()
    expect(answered).toBe(19)
    clock.advance(1000)
    await expect.poll(() => answered).toBeGreaterThan(19)
    await settled()
    expect(answered).toBeLessThanOrEqual(30)
    for (; answered < pings.length; await settled()) clock.advance(1000)
    await Promise.all(pings)
  })

  test('[RELAY-2.10] pings count like frames', async () => {
    const clock = new ManualClock()
    const alice = await arrive(await testRelay({ clock, limits: { framesPerSecond: 10, framesBurst: 20 } }))
    let pongs = 0
    alice.socket.on('pong', () => pongs++)
    for (let at = 0; at < 30_000; at++) alice.socket.ping()
    await settled(200)
    // Pings in the chunk that was already read are answered.
    expect(pongs).toBeLessThan(29_000)
    await expect(Promise.race([alice.call('ping', {}), settled(200).then(() => 'waits')])).resolves.toBe('waits')
  })

  test('[RELAY-2.10] waits when too many of its calls are open', async () => {
    const gate = Promise.withResolvers<void>()
    const watch = { open: 0, mostOpen: 0, calls: 0, gate: gate.promise }
    const relay = await testRelay({ openStore: watchedStore(watch), limits: { requestsInFlightMax: 4 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const sends = Array.from({ length: 60 }, () => alice.append(messageEnvelope({ group, epoch: 1 })))
    await expect.poll(() => watch.calls).toBe(4)
    await settled()
    expect(watch.calls).toBe(4)
    gate.resolve()
    const seqs = (await Promise.all(sends)).map(verdict => verdict.accepted?.seq)
    expect(seqs).toEqual(sends.map((_, at) => at + 2))
    expect(watch.mostOpen).toBe(4)
  })

  test('[RELAY-2.10] waits when it does not read its answers', async () => {
    const watch = { open: 0, mostOpen: 0, calls: 0 }
    const relay = await testRelay({ openStore: watchedStore(watch), limits: { sendBufferBytesMax: 200_000 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    await bob.call('putProfile', { version: 1, blob: randomBytes(60_000) })
    alice.socket.pause()
    const asks = Array.from({ length: 1000 }, () => alice.call('getProfile', { account: bob.id }))
    let before = -1
    while (watch.calls !== before) {
      before = watch.calls
      await settled(200)
    }
    // The kernel's buffers, the bound, and one slice.
    expect(watch.calls).toBeLessThan(900)
    await bob.call('ping', {})
    alice.socket.resume()
    expect((await Promise.all(asks)).every(profile => profile.blob.length === 60_000)).toBe(true)
  })
})

describe('connections', () => {
  test('[RELAY-2.11] are limited in all', async () => {
    const relay = await testRelay({ limits: { connectionsMax: 2 } })
    const [first] = [await arrive(relay), await arrive(relay)]
    await expect(openClient(relay).challenge).rejects.toThrow('503')
    await first.close()
    const isTaken = () =>
      openClient(relay).challenge.then(
        () => true,
        () => false,
      )
    // The relay may notice the end later than the client that closed.
    await expect.poll(isTaken).toBe(true)
  })

  test('[RELAY-2.11] per account, the oldest goes', async () => {
    const relay = await testRelay({ limits: { connectionsPerAccountMax: 2 } })
    const [alice, bob] = [newPerson(), await arrive(relay)]
    const [first, second, third] = [
      await arrive(relay, alice),
      await arrive(relay, anotherDevice(alice)),
      await arrive(relay, anotherDevice(alice)),
    ]
    expect((await first.closed).code).toBe(1008)
    for (const client of [second, third, bob]) await client.call('ping', {})
  })

  test('[RELAY-2.17] a newer one of the same device ends the older, and what was not taken of that is never taken', async () => {
    // At most two calls at a time, and none ends before the newer connection exists: the rest waits before the relay.
    const gate = Promise.withResolvers<void>()
    const watch = { open: 0, mostOpen: 0, calls: 0, gate: gate.promise }
    const relay = await testRelay({ openStore: watchedStore(watch), limits: { requestsInFlightMax: 2 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const payloads = Array.from({ length: 500 }, () => messageEnvelope({ group, epoch: 1 }))
    const heard = Promise.allSettled(payloads.map(payload => alice.append(payload)))
    await expect.poll(() => watch.calls).toBe(2)
    const newer = await arrive(relay, alice.person)
    gate.resolve()
    const outcome = async (payload: Uint8Array) =>
      (await newer.call('outcome', { group, message: idOf(payload) })).accepted !== undefined
    const first = await Promise.all(payloads.map(outcome))
    expect(await alice.closed).toEqual({ code: 4001, reason: 'replaced by a newer connection of the same device' })
    await heard
    expect(await Promise.all(payloads.map(outcome))).toEqual(first)
    expect(first).toContain(false)
  })

  test('[RELAY-2.29] a copied device key under another account ends no connection of its owner', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const thief = await arrive(relay, { ...newPerson(), device: alice.person.device })
    expect((await alice.append(messageEnvelope({ group, epoch: 1 }))).accepted).toBeDefined()
    await expect(thief.call('getGroup', { group })).rejects.toMatchObject({ code: 'group-unknown' })
  })

  test('[RELAY-2.12] a peer that does not answer a ping by the next is cut off', async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock, limits: { heartbeatMs: 1000 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const deaf = new WebSocket(`${relay.url.replace('http', 'ws')}/relay/v1`, { autoPong: false })
    const closed = once(deaf, 'close')
    await once(deaf, 'message')
    for (let beat = 0; beat < 3; beat++) {
      clock.advance(1000)
      // Both answer the ping before the call.
      await Promise.all([alice.call('ping', {}), bob.call('ping', {})])
    }
    expect((await closed)[0]).toBe(1006)
    await alice.call('ping', {})
  })

  test('[RELAY-2.25] more than are pinged in one turn are all pinged, and the silent of them cut off', async () => {
    const clock = new ManualClock()
    const count = relayFixedLimits.heartbeatsPerTurn + 20
    const limits = { heartbeatMs: 1000, newcomersPerAddressMax: 1000 }
    const relay = await testRelay({ clock, limits })
    const address = `${relay.url.replace('http', 'ws')}/relay/v1`
    const open = (autoPong: boolean) => new WebSocket(address, { autoPong })
    const lively = Array.from({ length: count }, () => open(true))
    const deaf = Array.from({ length: 10 }, () => open(false))
    await Promise.all([...lively, ...deaf].map(socket => once(socket, 'message')))
    const pinged = Promise.all([...lively, ...deaf].map(socket => once(socket, 'ping')))
    clock.advance(1000)
    await pinged
    const alice = await arrive(relay)
    const closed = Promise.all(deaf.map(socket => once(socket, 'close')))
    const again = Promise.all(lively.map(socket => once(socket, 'ping')))
    clock.advance(1000)
    expect((await closed).map(([code]) => code)).toEqual(deaf.map(() => 1006))
    await again
    await alice.call('ping', {})
    expect(lively.every(({ readyState }) => readyState === WebSocket.OPEN)).toBe(true)
    for (const socket of lively) socket.terminate()
  })

  test('[RELAY-2.12] a clock that jumps cuts off nobody', async () => {
    const clock = new ManualClock()
    const alice = await arrive(await testRelay({ clock }))
    clock.advance(86_400_000)
    await alice.call('ping', {})
  })
})
