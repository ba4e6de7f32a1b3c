// Backups of a relay: its file does not change while it is copied, and a restored relay knows that it was restored.
import { randomBytes } from 'node:crypto'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backupLimits, systemClock } from '@postern/protocol'
import { test as base, expect } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { checkStoredRelay, prepareRestoredRelay } from '../src/store/sqlite/tools/stored-copy.ts'
import { InProcessWake } from '../src/store/wake.ts'
import { World } from './contract/world.ts'

const open = (directory: string) =>
  openSqliteStore({ directory, limits: relayLimits({}), wake: new InProcessWake(), clock: systemClock })

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('folder', ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'relay-backup-'))
    onCleanup(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  })
  .extend('directory', ({ folder }) => join(folder, 'relay'))
  .extend('world', ({ directory }, { onCleanup }) => {
    const world = new World(open(directory))
    onCleanup(() => world.store.close())
    return world
  })

test('[RELAY-6.1] a copy of the file has all that was accepted before it stood still, and nothing of what came then', async ({
  folder,
  directory,
  world,
}) => {
  const [alice, bob] = await world.people()
  const group = await world.chat(alice, bob)
  for (let at = 0; at < 5; at++) await world.send(group, { sender: alice })
  const before = await world.read(bob)
  const release = await world.store.hold()
  const bytes = readFileSync(join(directory, 'relay.db'))
  for (let round = 0; round < 20; round++)
    await Promise.all(
      Array.from({ length: 100 }, () => world.send(group, { sender: alice, payload: randomBytes(9000) })),
    )
  expect(readFileSync(join(directory, 'relay.db')).equals(bytes)).toBe(true)
  const copy = join(folder, 'copy')
  mkdirSync(copy)
  copyFileSync(join(directory, 'relay.db'), join(copy, 'relay.db'))
  release()
  await world.send(group, { sender: alice })
  expect((await world.read(bob)).length).toBe(before.length + 2001)
  checkStoredRelay(copy)
  const copied = open(copy)
  expect(await new World(copied).read(bob)).toEqual(before)
  await copied.close()
})

test('[RELAY-6.2] its incarnation outlives restarts, and a restore makes another and leaves all positions behind', async ({
  folder,
  directory,
  world,
}) => {
  const [alice, bob] = await world.people()
  const group = await world.chat(alice, bob)
  await world.send(group, { sender: alice })
  const { incarnation } = world.store
  expect(incarnation).toHaveLength(16)
  const head = await world.store.mailboxHead(bob)
  await world.store.close()
  const reopened = open(directory)
  expect(reopened.incarnation).toEqual(incarnation)
  await reopened.close()
  const restored = join(folder, 'restored')
  cpSync(directory, restored, { recursive: true })
  prepareRestoredRelay(restored)
  const store = open(restored)
  expect(store.incarnation).not.toEqual(incarnation)
  await new World(store).send(group, { sender: alice })
  expect(await store.mailboxHead(bob)).toBeGreaterThan(head + backupLimits.positionsSkipped)
  await store.close()
})
