// A database that is frozen while it is copied: the content of the copy, and the writes that continue meanwhile.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isCoded } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { failWrites } from '@postern/testkit/faults'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { checkStored } from '../src/recovery/stored-copy-node.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { type Durability, Store } from '../src/storage/transactions/store.ts'

const put = (store: Store, key: string, durability?: Durability) =>
  store.write(
    database => database.run('INSERT INTO record (shelf, key, value) VALUES (?, ?, ?)', 'shelf', key, 'x'.repeat(3000)),
    durability,
  )
const keysIn = (store: Store) => store.all<{ key: string }>('SELECT key FROM record ORDER BY key').map(row => row.key)

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('directory', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'core-held-'))
    onCleanup(() => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
  .extend('store', ({ directory }, { onCleanup }) => {
    const store = new Store(openDataDirectory(directory), setImmediate, { clock: new ManualClock(Date.now()) })
    onCleanup(() => store.close())
    return store
  })
  .extend(
    'fileBytes',
    ({ directory }) =>
      () =>
        readFileSync(join(directory, 'core.db')),
  )
  .extend(
    'logBytes',
    ({ directory }) =>
      () =>
        statSync(join(directory, 'core.db-wal')).size,
  )
  /** The keys in a copy of the file alone. */
  .extend('keysInCopy', ({ directory }) => (): string[] => {
    const copy = join(directory, 'copy')
    mkdirSync(copy)
    for (const name of ['core.db', 'db.key']) copyFileSync(join(directory, name), join(copy, name))
    expect(checkStored(copy)).toMatchObject({ account: undefined })
    const store = new Store(openDataDirectory(copy), setImmediate)
    try {
      return keysIn(store)
    } finally {
      store.close()
    }
  })

test('[CORE-11.18] the file has all that was written before, deferred or queued, and no byte of it changes while writing goes on', async ({
  store,
  fileBytes,
  logBytes,
  keysInCopy,
}) => {
  await put(store, 'durable')
  await put(store, 'deferred', 'deferred')
  const queued = put(store, 'queued')
  const release = store.hold()
  await queued
  const before = fileBytes()
  // More than the log usually holds: it would be written back.
  for (let at = 0; at < 60; at++)
    await Promise.all(Array.from({ length: 100 }, (_, row) => put(store, `later ${at} ${row}`)))
  store.eraseTraces()
  await put(store, 'last')
  expect(fileBytes().equals(before)).toBe(true)
  expect(logBytes()).toBeGreaterThan(16_000_000)
  expect(keysInCopy()).toEqual(['deferred', 'durable', 'queued'])
  release()
  await expect.poll(logBytes).toBe(0)
  expect(fileBytes().length).toBeGreaterThan(before.length)
  expect(keysIn(store)).toHaveLength(6004)
})

test('[CORE-11.18] only one holds it at a time; what is let go twice stays with who holds it by then', async ({
  store,
  fileBytes,
}) => {
  const release = store.hold()
  expect(() => store.hold()).toThrow(expect.objectContaining({ code: 'backup-running' }))
  release()
  const other = store.hold()
  release()
  const before = fileBytes()
  await put(store, 'meanwhile')
  store.eraseTraces()
  await put(store, 'and then')
  expect(fileBytes().equals(before)).toBe(true)
  other()
})

test('[CORE-11.18] where the disk cannot be written nothing is held, and what was deferred is kept', async ({
  store,
  fileBytes,
}) => {
  await put(store, 'deferred', 'deferred')
  using _full = failWrites()
  expect(() => store.hold()).toThrow(expect.toSatisfy(error => isCoded(error, 'storage-failed', 'storage-full')))
  expect(keysIn(store)).toEqual(['deferred'])
  expect(fileBytes().length).toBeGreaterThan(0)
})
