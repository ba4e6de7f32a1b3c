// Deferred writes: readable immediately, on disk with the next commit, and never undone meanwhile.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '@postern/bot-api'
import { type Clock, clientLimits, silentLog, systemClock } from '@postern/protocol'
import { ManualClock, WITHIN } from '@postern/testkit'
import { failWrites } from '@postern/testkit/faults'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import type { Database } from '../src/storage/database.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { type Durability, Store } from '../src/storage/transactions/store.ts'
import { loseAnswers } from './lossy-wire.ts'
import { personOn } from './person-on.ts'

const putIn = (database: Database, key: string) =>
  database.run('INSERT INTO record (shelf, key, value) VALUES (?, ?, ?)', 'shelf', key, '')
const put = (store: Store, key: string, durability?: Durability) =>
  store.write(database => putIn(database, key), durability)
const tell = (store: Store, durability: Durability) =>
  store.write(
    database => database.run('INSERT INTO journal (ts, chat_id, json) VALUES (?, ?, ?)', 1, 'chat', '{}'),
    durability,
  )
function outboxIn(directory: string): number {
  const store = new Store(openDataDirectory(directory), setImmediate)
  try {
    return store.all('SELECT 1 FROM outbox').length
  } finally {
    store.close()
  }
}
const keysIn = (store: Store) => store.all<{ key: string }>('SELECT key FROM record ORDER BY key').map(row => row.key)

const test = base
  .extend('clock', () => new ManualClock(Date.now()))
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'core-deferred-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  .extend('warnings', (): string[] => [])
  .extend('store', ({ directory, clock, warnings }, { onCleanup }) => {
    const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) }
    const store = new Store(openDataDirectory(join(directory, 'live')), setImmediate, { clock, log })
    onCleanup(() => store.close())
    return store
  })
  /** The state that the next start would find if the process were killed now. */
  .extend('afterKill', ({ directory, store: _live }) => {
    let kills = 0
    return <T>(look: (store: Store) => T): T => {
      const killed = join(directory, `killed-${kills++}`)
      cpSync(join(directory, 'live'), killed, { recursive: true })
      const store = new Store(openDataDirectory(killed), setImmediate)
      try {
        return look(store)
      } finally {
        store.close()
      }
    }
  })

test('[CORE-23.7] who begins to listen while something is deferred is told also after that was rolled back', async ({
  store,
}) => {
  await put(store, 'deferred', 'deferred')
  const told: string[] = []
  store.onChange(topics => told.push(...topics))
  const failing = store.write(() => {
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  expect(told).toEqual([])
  await put(store, 'kept')
  expect(told).toEqual(['records:shelf'])
})

describe('a deferred write', () => {
  test('[CORE-11.15] is read at once, and is on the disk with the next one that must be kept', async ({
    store,
    afterKill,
  }) => {
    await put(store, 'deferred', 'deferred')
    expect(keysIn(store)).toEqual(['deferred'])
    expect(afterKill(keysIn)).toEqual([])
    await put(store, 'kept')
    expect(afterKill(keysIn)).toEqual(['deferred', 'kept'])
  })

  test('[CORE-11.15] is on the disk soon, when it is asked for, and when the store is closed', async ({
    store,
    clock,
    afterKill,
  }) => {
    await put(store, 'one', 'deferred')
    clock.advance(clientLimits.deferredMs)
    expect(afterKill(keysIn)).toEqual(['one'])
    const onDisk = await store.defer(database => putIn(database, 'two'))
    expect(afterKill(keysIn)).toEqual(['one'])
    await onDisk()
    expect(afterKill(keysIn)).toEqual(['one', 'two'])
    await put(store, 'three', 'deferred')
    store.close()
    expect(afterKill(keysIn)).toEqual(['one', 'three', 'two'])
  })

  test('[CORE-11.15] stays when a later one fails, also one of its own turn', async ({ store, afterKill }) => {
    await put(store, 'deferred', 'deferred')
    const beside = put(store, 'beside', 'deferred')
    const failing = put(store, 'deferred')
    await beside
    await expect(failing).rejects.toThrow(/UNIQUE/)
    expect(keysIn(store)).toEqual(['beside', 'deferred'])
    await put(store, 'kept')
    expect(afterKill(keysIn)).toEqual(['beside', 'deferred', 'kept'])
  })

  test('[CORE-11.15] stays to be read while the disk cannot be written, and is written when it can', async ({
    store,
    clock,
    warnings,
    afterKill,
  }) => {
    await put(store, 'deferred', 'deferred')
    {
      using _full = failWrites()
      for (let tries = 0; tries < 3; tries++) clock.advance(clientLimits.deferredRetryMs)
      await expect(put(store, 'lost')).rejects.toThrow()
      expect(keysIn(store)).toEqual(['deferred'])
      expect(warnings).toEqual(['deferred changes not saved; will retry'])
    }
    expect(afterKill(keysIn)).toEqual([])
    clock.advance(clientLimits.deferredRetryMs)
    expect(afterKill(keysIn)).toEqual(['deferred'])
  })

  test('[CORE-11.16] that tells somebody is kept at once: what was given out is not taken back', async ({
    store,
    afterKill,
  }) => {
    await put(store, 'before', 'deferred')
    await tell(store, 'deferred')
    expect(afterKill(keysIn)).toEqual(['before'])
    expect(afterKill(killed => killed.all('SELECT id FROM journal'))).toHaveLength(1)
  })

  test('[CORE-11.6] does not keep what was deleted in the log', async ({ store, afterKill }) => {
    await put(store, 'deferred', 'deferred')
    store.eraseTraces()
    await new Promise(setImmediate)
    expect(afterKill(keysIn)).toEqual(['deferred'])
  })
})

describe('a message that the relay has', () => {
  test('[CORE-4.14] stands in the history once after the next start, though its sender was killed before it was noted', async ({
    world,
    bob,
    directory,
  }) => {
    // Deferred changes reach the disk only with a later write, and not because time has passed.
    const never = { cancel: () => undefined }
    const clock: Clock = {
      ...systemClock,
      setTimer: (afterMs, run) => (afterMs === clientLimits.deferredMs ? never : systemClock.setTimer(afterMs, run)),
    }
    const alice = await world.person('alice', { clock, directory: join(directory, 'alice') })
    await alice.say(bob, 'before')
    await bob.hears('before')
    await expect.poll(() => alice.client.identity.profileOf(bob.id).name).toBe('bob')
    loseAnswers(alice, 'deliver')
    const texts = ['before']
    let sent: Message
    let killed: string
    // Another write of the same turn commits the note: then the next one is checked.
    do {
      const text = `sent ${texts.length}`
      sent = await alice.say(bob, text)
      killed = join(directory, text)
      cpSync(join(directory, 'alice'), killed, { recursive: true })
      texts.push(text)
    } while (outboxIn(killed) === 0)
    expect(alice.texts(bob)).toEqual(texts)
    await world.close(alice)
    const again = await world.person('alice', { directory: killed })
    await expect.poll(() => again.texts(bob)).toEqual(texts)
    expect(again.client.messages.get(bob.chatId, sent.id).ts).toBe(sent.ts)
    await again.say(bob, 'after')
    await bob.hears('after')
    expect(bob.texts(alice)).toEqual([...texts, 'after'])
  })

  test('[CORE-11.5] is sent, also when it cannot be noted by then, and is noted when there is room', async ({
    world,
    bob,
    directory,
    onTestFinished,
  }) => {
    const database = openDataDirectory(join(directory, 'alice'))
    let isFull = false
    const run = database.run.bind(database)
    database.run = (sql, ...values) => {
      if (isFull && /^(INSERT INTO|UPDATE) message/.test(sql))
        throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
      return run(sql, ...values)
    }
    const alice = await personOn(world, { name: 'alice', directory: join(directory, 'alice'), database })
    onTestFinished(() => alice.client.stop())
    await alice.online()
    await alice.say(bob, 'before')
    isFull = true
    const sent = await alice.client.messages.sendText(bob.chatId, { text: 'sent' }, WITHIN)
    expect(sent).toMatchObject({ text: 'sent', status: 'sent' })
    await bob.hears('sent')
    expect(alice.texts(bob)).toEqual(['before'])
    const [first] = alice.client.messages.list(bob.chatId, { limit: 1 })
    const edited = alice.client.messages.edit(
      bob.chatId,
      { message: first?.id ?? expect.fail(), text: 'changed' },
      WITHIN,
    )
    await expect(edited).rejects.toMatchObject({ code: 'send-in-doubt' })
    isFull = false
    await alice.say(bob, 'after')
    await bob.hears('after')
    await expect.poll(() => alice.texts(bob)).toEqual(['changed', 'sent', 'after'])
    expect(alice.client.messages.get(bob.chatId, sent.id)).toMatchObject({ ts: sent.ts })
    expect(bob.texts(alice)).toEqual(['changed', 'sent', 'after'])
  })
})
