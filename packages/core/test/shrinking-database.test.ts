// The length of the database file: it gives the space of deleted rows back to the disk.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failWrites } from '@postern/testkit/faults'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { Store } from '../src/storage/transactions/store.ts'

const LONG = 4_000_000
const SHORT = 1_800_000
const KEPT_ROWS = 60

const lengthIn = (directory: string) => statSync(join(directory, 'core.db')).size

/** 400 rows of 10 kB each, of which the last 60 stay. */
async function fillAndEmpty(store: Store): Promise<void> {
  await store.write(database => {
    for (let at = 0; at < 400; at++)
      database.run('INSERT INTO record (shelf, key, value) VALUES (?, ?, ?)', 'shelf', `${at}`, 'x'.repeat(10_000))
  })
  await store.write(database => database.run('DELETE FROM record WHERE CAST(key AS INTEGER) < ?', 400 - KEPT_ROWS))
  store.eraseTraces()
  await store.write(() => undefined)
}

const rowsIn = (store: Store) => store.all("SELECT key FROM record WHERE length(value) = 10000 AND shelf = 'shelf'")

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'core-shrinking-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  .extend('reopened', ({ directory }, { onCleanup }) => {
    const stores: Store[] = []
    onCleanup(() => stores.at(-1)?.close())
    return () => {
      stores.at(-1)?.close()
      const store = new Store(openDataDirectory(directory), setImmediate)
      stores.push(store)
      return store
    }
  })
  /** As an older version has left it. */
  .extend('olderFile', ({ directory }) => async (): Promise<void> => {
    const database = openDataDirectory(directory)
    database.exec('PRAGMA auto_vacuum = NONE')
    database.exec('VACUUM')
    const store = new Store(database, setImmediate)
    await fillAndEmpty(store)
    store.close()
    expect(lengthIn(directory)).toBeGreaterThan(LONG)
  })

test('[CORE-11.24] a client gives the space of what was deleted back when it starts, and loses nothing', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  await world.close(alice)
  const store = new Store(openDataDirectory(alice.directory), setImmediate)
  await fillAndEmpty(store)
  store.close()
  expect(lengthIn(alice.directory)).toBeGreaterThan(LONG)

  const again = await world.person('alice')
  await again.say(bob, 'meanwhile')
  await bob.hears('meanwhile')
  await expect.poll(() => lengthIn(alice.directory)).toBeLessThan(SHORT)
  expect(again.texts(bob)).toEqual(['before', 'meanwhile'])
  await world.close(again)
  const reopened = new Store(openDataDirectory(alice.directory), setImmediate)
  expect(reopened.findDamage()).toBeUndefined()
  expect(rowsIn(reopened)).toHaveLength(KEPT_ROWS)
  reopened.close()
})

test('[CORE-11.24] while a backup copies the file no page moves', async ({ directory, reopened }) => {
  const store = reopened()
  await fillAndEmpty(store)
  const release = store.hold()
  const held = readFileSync(join(directory, 'core.db'))
  await store.giveBack()
  expect(readFileSync(join(directory, 'core.db')).equals(held)).toBe(true)
  expect(store.get<{ page_count: number }>('PRAGMA page_count')?.page_count).toBe(held.length / 4096)
  release()
  await store.giveBack()
  await expect.poll(() => lengthIn(directory)).toBeLessThan(SHORT)
  expect(rowsIn(store)).toHaveLength(KEPT_ROWS)
})

test('[CORE-11.25] on a disk without room an older file stays as it is, and becomes shorter at a later start', async ({
  directory,
  olderFile,
  reopened,
}) => {
  await olderFile()
  {
    // Less than the content of the file: the log has no space for a new one.
    using _full = failWrites(300_000)
    const store = reopened()
    expect(rowsIn(store)).toHaveLength(KEPT_ROWS)
    expect(lengthIn(directory)).toBeGreaterThan(LONG)
  }
  const store = reopened()
  expect(lengthIn(directory)).toBeLessThan(SHORT)
  expect(rowsIn(store)).toHaveLength(KEPT_ROWS)
  expect(store.findDamage()).toBeUndefined()
})
