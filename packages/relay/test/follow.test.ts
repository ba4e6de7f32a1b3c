// Delivery: from any cursor, in order, as fast as its reader and no faster.
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError, systemClock } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { isOnPostgres } from '@postern/testkit/test-databases'
import { describe, expect, test } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import type { RelayStore, StoreOptions } from '../src/store/relay-store.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { World } from './contract/world.ts'
import { arrive, chatOf, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { anotherDevice, commitEnvelope, idOf, messageEnvelope, newPerson } from './test-client.ts'

describe('following a mailbox', () => {
  test('[RELAY-2.6] delivers what is there, then what comes', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    const { head } = await bob.call('mailboxEnd', {})
    await bob.call('follow', { after: 0 })
    await bob.delivered(2)
    expect(bob.lastCursor).toBe(head)
    const payload = messageEnvelope({ group, epoch: 1 })
    const { accepted } = await alice.append(payload)
    const entry = (await bob.delivered(3))[2]
    expect(entry).toMatchObject({ group, seq: accepted?.seq, ts: accepted?.ts, kind: 'message', sender: alice.id })
    expect(idOf(entry?.payload ?? new Uint8Array())).toBe(idOf(payload))
  })

  test('[RELAY-2.28] `followChained` names before each page the position that it follows, from any cursor', async () => {
    const relay = await testRelay({ limits: { unacknowledgedEntriesMax: 2 } })
    const [alice, bob, carol] = [await arrive(relay), await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const peerEvents = await chatOf(alice, carol)
    for (let at = 0; at < 5; at++) {
      // A long entry is sent in two pieces. Entries for others leave gaps in this mailbox.
      await alice.append(messageEnvelope({ group, epoch: 1, size: at === 2 ? 9000 : 60 }))
      await alice.append(messageEnvelope({ group: peerEvents, epoch: 1 }))
    }
    bob.autoAcknowledge = true
    await bob.call('followChained', { after: 0 })
    await bob.delivered(6)
    const cursors = bob.entries.map(({ cursor }) => cursor)
    const begins = bob.pages.map((_, at) => bob.pages.slice(0, at).reduce((sum, count) => sum + count, 0))
    expect(bob.pages.length).toBeGreaterThan(2)
    expect(bob.afters).toEqual(begins.map(at => cursors[at - 1] ?? 0))
    await bob.call('followChained', { after: cursors[3] ?? 0 })
    await bob.delivered(8)
    expect(bob.afters[bob.pages.length - 1]).toBe(cursors[3])
  })

  test('[RELAY-2.7] the end of a mailbox is told with the time before which all is in it', async () => {
    const clock = new ManualClock(Date.now())
    const relay = await testRelay({ clock })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const { accepted } = await alice.append(messageEnvelope({ group, epoch: 1 }))
    clock.advance(1000)
    const end = await bob.call('mailboxEnd', {})
    expect(end.nowMs).toBe(clock.nowMs())
    expect(end.nowMs).toBeGreaterThan(accepted?.ts ?? Infinity)
    await bob.call('follow', { after: 0 })
    await bob.delivered(2)
    expect(bob.lastCursor).toBe(end.head)
  })

  test('[RELAY-1.36] a commit comes with whom its sender named, over the wire too', async () => {
    const relay = await testRelay()
    const [alice, bob, carol] = [await arrive(relay), await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob, carol)
    await alice.commit(commitEnvelope({ group, epoch: 1 }), { remove: [carol.id] })
    await bob.call('follow', { after: 0 })
    expect((await bob.delivered(2)).map(({ kind, added, removed }) => ({ kind, added, removed }))).toEqual([
      { kind: 'welcome', added: [], removed: [] },
      { kind: 'commit', added: [], removed: [carol.id] },
    ])
  })

  test('[RELAY-2.6] from any cursor, also below what is acknowledged, and anew on the same connection', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    for (let at = 0; at < 5; at++) await alice.append(messageEnvelope({ group, epoch: 1 }))
    await bob.call('follow', { after: 0 })
    const cursors = (await bob.delivered(6)).map(entry => entry.cursor)
    bob.acknowledge(bob.lastCursor)
    await bob.call('follow', { after: cursors[3] ?? 0 })
    expect((await bob.delivered(8)).slice(6).map(entry => entry.cursor)).toEqual(cursors.slice(4))
    await bob.call('follow', { after: bob.lastCursor })
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    expect((await bob.delivered(9)).at(-1)?.cursor).toBeGreaterThan(cursors.at(-1) ?? 0)
    await bob.call('ping', {})
    expect(bob.entries).toHaveLength(9)
  })

  test('[RELAY-2.6] each device of an account follows for itself', async () => {
    const relay = await testRelay({ limits: { unacknowledgedEntriesMax: 3 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const second = await arrive(relay, anotherDevice(bob.person))
    const group = await chatOf(alice, bob)
    await bob.call('follow', { after: 0 })
    await second.call('follow', { after: 0 })
    second.autoAcknowledge = true
    for (let at = 0; at < 9; at++) await alice.append(messageEnvelope({ group, epoch: 1 }))
    await second.delivered(10)
    await bob.call('ping', {})
    expect(bob.entries).toHaveLength(3)
    bob.acknowledge(bob.lastCursor)
    await bob.delivered(6)
    expect(second.entries.slice(0, 6)).toEqual(bob.entries)
  })

  test('[RELAY-2.8] the window is of bytes too, and is passed by one entry at most', async () => {
    const relay = await testRelay({ limits: { unacknowledgedBytesMax: 5000 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    for (let at = 0; at < 5; at++) await alice.append(messageEnvelope({ group, epoch: 1, size: 2000 }))
    await alice.append(messageEnvelope({ group, epoch: 1, size: 100_000 }))
    await bob.call('follow', { after: 0 })
    // A welcome and two entries of 2 KB, then one more that exceeds the window.
    await bob.delivered(4)
    await bob.call('ping', {})
    expect(bob.entries).toHaveLength(4)
    bob.autoAcknowledge = true
    bob.acknowledge(bob.lastCursor)
    await bob.delivered(7)
  })

  // On PostgreSQL mailboxes are filled after the answer.
  test.skipIf(isOnPostgres())('[RELAY-1.40] what was sent is delivered before it is answered', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await alice.call('follow', { after: 0 })
    await alice.delivered(1)
    // The committer receives the commit too, so one connection shows the order.
    await alice.commit(commitEnvelope({ group, epoch: 1 }))
    expect(alice.entries.map(({ kind, seq }) => ({ kind, seq }))).toEqual([
      { kind: 'commit', seq: 1 },
      { kind: 'commit', seq: 2 },
    ])
  })

  test('[RELAY-2.6] from a store that has to be waited for, nothing is skipped or doubled either', async () => {
    const openStore = (options: StoreOptions): RelayStore => {
      const store = openSqliteStore(options)
      const readMailbox = store.readMailbox.bind(store)
      store.readMailbox = async (...asked) => {
        const page = await readMailbox(...asked)
        await nextTurn()
        return page
      }
      return store
    }
    const relay = await testRelay({ limits: { unacknowledgedEntriesMax: 5 }, openStore })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    bob.autoAcknowledge = true
    await bob.call('follow', { after: 0 })
    await Promise.all(Array.from({ length: 40 }, () => alice.append(messageEnvelope({ group, epoch: 1 }))))
    const entries = await bob.delivered(41)
    await bob.call('ping', {})
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 41 }, (_, at) => at + 1))
  })

  test('[RELAY-2.6] whose mailbox cannot be read is closed, and reads on when it comes again', async () => {
    let isBroken = false
    const openStore = (options: StoreOptions): RelayStore => {
      const store = openSqliteStore(options)
      const readMailbox = store.readMailbox.bind(store)
      store.readMailbox = (...asked) => {
        if (isBroken) throw new CodedError('storage-failed')
        return readMailbox(...asked)
      }
      return store
    }
    const relay = await testRelay({ openStore })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await bob.call('follow', { after: 0 })
    await bob.delivered(1)
    isBroken = true
    // The sender gets its confirmation, whatever happens to the readers.
    expect((await alice.append(messageEnvelope({ group, epoch: 1 }))).accepted).toBeDefined()
    expect((await bob.closed).code).toBe(1011)
    isBroken = false
    const again = await arrive(relay, bob.person)
    await again.call('follow', { after: bob.lastCursor })
    expect(await again.delivered(1)).toHaveLength(1)
  })

  test('[RELAY-2.23] only who was held back is read on by its acknowledgement', async () => {
    let reads = 0
    const openStore = (options: StoreOptions): RelayStore => {
      const store = openSqliteStore(options)
      const readMailbox = store.readMailbox.bind(store)
      store.readMailbox = (...asked) => {
        reads += 1
        return readMailbox(...asked)
      }
      return store
    }
    const relay = await testRelay({ limits: { unacknowledgedEntriesMax: 4 }, openStore })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await bob.call('follow', { after: 0 })
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    await bob.delivered(2)
    await bob.call('ping', {})
    const before = reads
    for (const { cursor } of bob.entries) bob.acknowledge(cursor)
    await bob.call('ping', {})
    expect(reads).toBe(before)
    // Four are delivered, and the fifth waits for the reader, even if it acknowledges old or nonexistent cursors.
    for (let at = 0; at < 5; at++) await alice.append(messageEnvelope({ group, epoch: 1 }))
    await bob.delivered(6)
    bob.acknowledge(1)
    await bob.call('ping', {})
    expect(bob.entries).toHaveLength(6)
    bob.acknowledge(bob.entries[2]?.cursor ?? 0)
    await bob.delivered(7)
    bob.acknowledge(Number.MAX_SAFE_INTEGER)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    await bob.delivered(8)
    expect(bob.entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test.skipIf(isOnPostgres())('[RELAY-2.8] a mailbox of 100,000 entries is read in pages', async () => {
    const dataDirectory = temporaryDirectory()
    const bob = newPerson()
    const limits = relayLimits({ mailboxEntriesPerSenderMax: 1_000_000, mailboxEntriesMax: 1_000_000 })
    const clock = systemClock
    const world = new World(openSqliteStore({ directory: dataDirectory, limits, wake: new InProcessWake(), clock }))
    world.nowMs = Date.now()
    await world.store.registerAccount(bob.id, { accountKey: bob.account.publicKey, nowMs: world.nowMs })
    const [alice] = await world.people()
    const group = await world.chat(alice, bob.id)
    for (let round = 0; round < 50; round++)
      await Promise.all(
        Array.from({ length: 2000 }, () => world.send(group, { sender: alice, payload: randomBytes(30) })),
      )
    await world.store.close()

    const relay = await testRelay({ dataDirectory })
    const reader = await arrive(relay, bob)
    await reader.call('follow', { after: 0 })
    await reader.delivered(limits.unacknowledgedEntriesMax)
    await reader.call('ping', {})
    expect(reader.entries).toHaveLength(limits.unacknowledgedEntriesMax)
    expect(Math.max(...reader.pages)).toBe(256)

    reader.autoAcknowledge = true
    reader.acknowledge(reader.lastCursor)
    const entries = await reader.delivered(100_001)
    expect(entries.every((entry, at) => entry.seq === at + 1)).toBe(true)
    expect(Math.max(...reader.pages)).toBe(256)
  })
})
