// A disk that cannot be written, or not enough: nothing ends,
// nothing acknowledged is lost, and postponed work is done later.
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { clientLimits, isCoded, silentLog } from '@postern/protocol'
import { ManualClock, passTime, WITHIN } from '@postern/testkit'
import { failWrites } from '@postern/testkit/faults'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { openNodeClient } from '../src/platform-node.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { Store } from '../src/storage/transactions/store.ts'
import { personOn } from './person-on.ts'

const MEGABYTE = 1 << 20

const put = (store: Store, key: string, bytes: number) =>
  store.write(database =>
    database.run('INSERT OR REPLACE INTO record (shelf, key, value) VALUES (?, ?, ?)', 'shelf', key, 'x'.repeat(bytes)),
  )
const remove = (store: Store, key: string) =>
  store.write(database => database.run('DELETE FROM record WHERE key = ?', key))

/** Reads that match fail until it is repaired. */
class DyingDisk {
  #failing: RegExp | undefined
  failedReads = 0

  fail(what: RegExp): void {
    this.#failing = what
  }

  mend(): void {
    this.#failing = undefined
  }

  read(sql: string): void {
    if (!this.#failing?.test(sql)) return
    this.failedReads += 1
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' })
  }
}

const logBytesIn = (directory: string) => statSync(join(directory, 'core.db-wal')).size

const test = base
  .extend('clock', () => new ManualClock())
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'core-disk-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  .extend('warnings', (): string[] => [])
  .extend('log', ({ warnings }) => ({ ...silentLog, warn: (_: object, text: string) => void warnings.push(text) }))
  .extend('store', ({ directory, clock, log }, { onCleanup }) => {
    const store = new Store(openDataDirectory(directory), setImmediate, { clock, log })
    onCleanup(() => store.close())
    return store
  })
  /** The log can be written and the database cannot: as on a disk that is nearly full. */
  .extend('nearlyFull', ({ directory, store }) => async (): Promise<Disposable> => {
    await put(store, 'large', MEGABYTE)
    store.eraseTraces()
    await nextTurn()
    expect(logBytesIn(directory)).toBe(0)
    return failWrites(MEGABYTE / 2)
  })

/** Alice has a database whose reads the test can make fail, as a dead disk does. */
const testOfReads = test
  .extend('clock', () => new ManualClock(Date.now()))
  .extend('disk', () => new DyingDisk())
  .extend('alice', async ({ world, directory, disk, clock, log }, { onCleanup }) => {
    const database = openDataDirectory(directory)
    const get = database.get.bind(database)
    database.get = (sql, ...values) => {
      disk.read(sql)
      return get(sql, ...values)
    }
    const alice = await personOn(world, { name: 'alice', directory, database, clock, log })
    onCleanup(() => alice.client.stop())
    return await passTime(clock, alice.online())
  })

describe('what was deleted', () => {
  test('[CORE-11.6] and cannot be erased ends nothing, is said once, and is erased when there is room', async ({
    directory,
    warnings,
    clock,
    store,
    nearlyFull,
  }) => {
    {
      using _full = await nearlyFull()
      await put(store, 'small', 100_000)
      await remove(store, 'small')
      for (let tries = 0; tries < 3; tries++) {
        store.eraseTraces()
        await nextTurn()
        clock.advance(clientLimits.eraseRetryMs)
        await nextTurn()
      }
      expect(logBytesIn(directory)).toBeGreaterThan(0)
      expect(warnings).toHaveLength(1)
      expect(store.all('SELECT key FROM record')).toEqual([{ key: 'large' }])
    }
    clock.advance(clientLimits.eraseRetryMs)
    await nextTurn()
    expect(logBytesIn(directory)).toBe(0)
  })

  test('[CORE-11.6] and was not erased when the process was killed is erased at the next start', async ({
    directory,
    log,
    clock,
  }) => {
    const killed = join(directory, 'killed')
    const store = new Store(openDataDirectory(killed), setImmediate, { clock, log })
    await put(store, 'deleted', MEGABYTE)
    await remove(store, 'deleted')
    for (const name of ['core.db', 'core.db-wal', 'db.key']) copyFileSync(join(killed, name), join(directory, name))
    store.close()
    expect(logBytesIn(directory)).toBeGreaterThan(MEGABYTE)
    const client = await openNodeClient({
      directory,
      acceptRequests: 'all',
      firstStart: () => ({ relayUrl: 'http://127.0.0.1:9', name: 'alice', bot: false }),
    })
    expect(logBytesIn(directory)).toBeLessThan(MEGABYTE / 2)
    await client.stop()
  })
})

describe('a commit', () => {
  test('[CORE-11.7] is told to all who listen, also when one of them fails', async ({ store }) => {
    const heard: string[] = []
    store.onCommit(() => {
      throw new Error('a listener of ours')
    })
    store.onCommit(() => heard.push('told'))
    await put(store, 'small', 1)
    expect(heard).toEqual(['told'])
  })

  test('[CORE-11.7] that fails is said as what the disk is at fault for, and the next one goes on', async ({
    store,
  }) => {
    {
      using _full = failWrites()
      await expect(put(store, 'lost', 1)).rejects.toSatisfy(error => isCoded(error, 'storage-failed'))
      expect(store.all('SELECT key FROM record')).toEqual([])
    }
    await put(store, 'kept', 1)
    expect(store.all('SELECT key FROM record')).toEqual([{ key: 'kept' }])
  })
})

describe('a disk that cannot be read', () => {
  testOfReads(
    '[CORE-11.9] loses nothing of what comes: it is taken again until it can be',
    async ({ clock, disk, alice, bob }) => {
      await bob.say(alice, 'before')
      await passTime(clock, alice.hears('before'))
      disk.fail(/FROM mls_group/)
      await bob.say(alice, 'while it is dead')
      // More often than a fault of ours in one entry would be retried.
      await passTime(clock, expect.poll(() => disk.failedReads).toBeGreaterThan(10))
      disk.mend()
      await passTime(clock, alice.hears('while it is dead'))
    },
  )
})

describe('what is due', () => {
  testOfReads(
    '[CORE-11.10] while the disk cannot be read is done when it can be, though nothing else happens',
    async ({ clock, disk, alice, bob }) => {
      await passTime(clock, alice.say(bob, 'stays'))
      await passTime(clock, alice.client.chats.setTimer(bob.chatId, 60_000, WITHIN))
      disk.fail(/erase_at_ms/)
      await alice.say(bob, 'disappears')
      await passTime(clock, expect.poll(() => disk.failedReads).toBeGreaterThan(3))
      disk.mend()
      await passTime(clock, alice.next('expired'))
      expect(alice.texts(bob)).toEqual(['stays'])
    },
  )
})

async function openAtOnce(directory: string, count: number): Promise<unknown[]> {
  const gate = new SharedArrayBuffer(4)
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL('open-directory.worker.ts', import.meta.url), { workerData: { directory, gate } }),
  )
  await Promise.all(workers.map(worker => once(worker, 'message')))
  const outcomes = Promise.all(workers.map(async worker => (await once(worker, 'message'))[0] as unknown))
  Atomics.store(new Int32Array(gate), 0, 1)
  Atomics.notify(new Int32Array(gate), 0)
  return await outcomes
}

describe('a first start', () => {
  test('[CORE-11.8] on a full disk leaves nothing that keeps the next one out', ({ directory }) => {
    {
      using _full = failWrites()
      expect(() => openDataDirectory(directory)).toThrow(expect.objectContaining({ code: 'database-unusable' }))
    }
    expect(existsSync(join(directory, 'db.key'))).toBe(false)
    openDataDirectory(directory).close()
    expect(readdirSync(directory).sort()).toEqual(['core.db', 'db.key'])
  })

  test('[CORE-11.8] beside others at the same moment leaves a key that fits, whoever comes first', async ({
    directory,
  }) => {
    for (let round = 0; round < 5; round++) {
      rmSync(directory, { recursive: true })
      const outcomes = await openAtOnce(directory, 4)
      expect(outcomes.filter(outcome => outcome !== 'opened' && outcome !== 'database-locked')).toEqual([])
      openDataDirectory(directory).close()
      expect(readdirSync(directory).sort()).toEqual(['core.db', 'db.key'])
    }
  })

  test.each(['/proc/nope', '/dev/null', '/dev/null/below'])('[CORE-11.8] in %s says so and ends', path => {
    expect(() => openDataDirectory(path)).toThrow(
      expect.objectContaining({ code: 'database-unusable', message: expect.stringContaining(path) }),
    )
  })
})
