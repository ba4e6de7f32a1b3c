// Uploads to a relay whose disk is full.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ManualClock } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './files-fixtures.ts'
import {
  atRelay,
  coded,
  fedSource,
  filesOf,
  left,
  NOTHING,
  nothingLeft,
  piecesOf,
  randomFile,
  relayFiles,
  uploadRows,
} from './files-world.ts'

test('[CORE-13.22] one that has no room ends it at once with relay-full, and nothing is left', async ({
  world,
  personWith,
  wire,
}) => {
  const alice = await personWith({ clock: new ManualClock() })
  wire.changeUpload = body => {
    const [blob = ''] = uploadRows(alice)
    const path = join(world.directory, 'relay', 'blobs', blob.slice(0, 2), blob)
    mkdirSync(dirname(path), { recursive: true })
    rmSync(path, { force: true })
    // The kernel's device that is always full.
    symlinkSync('/dev/full', path)
    return body
  }
  const { source, feed } = fedSource()
  const flowing = filesOf(alice).spool(source, { uploads: 'now' })
  feed(randomFile(3_000_000))
  await expect(flowing).rejects.toSatisfy(coded('relay-full'))
  await nothingLeft(world, alice)
  const spool = await filesOf(alice).spool(piecesOf(randomFile(600_000)), { uploads: 'later' })
  await expect(spool.uploaded()).rejects.toSatisfy(coded('relay-full'))
  expect(wire.uploads).toBe(2)
  await spool.release()
  await nothingLeft(world, alice)
})

test('[CORE-13.22] and while the source pauses', async ({ world, personWith }) => {
  const alice = await personWith()
  const { source, feed } = fedSource()
  const taking = filesOf(alice).spool(source, { uploads: 'now' })
  feed(randomFile(1_500_000))
  await atRelay(world)
  await world.stopRelay()
  const [blob = ''] = relayFiles(world)
  rmSync(blob)
  symlinkSync('/dev/full', blob)
  await world.startRelay()
  await expect(taking).rejects.toSatisfy(coded('relay-full'))
  await nothingLeft(world, alice)
})

const testOfSmallRelay = test
  .extend('relayLimits', (): { databaseBytesMax?: number } => ({}))
  .extend('worldOptions', ({ relayLimits }) => ({ relayLimits }))

testOfSmallRelay(
  '[CORE-13.22] also when it has none for the beginning of a file',
  async ({ world, personWith, relayLimits }) => {
    const alice = await personWith()
    await world.stopRelay()
    await expect.poll(() => alice.client.isOnline).toBe(false)
    // No more pages than there are now.
    relayLimits.databaseBytesMax = 65_536
    await world.startRelay()
    await alice.online()
    const { link } = alice.client['core']
    const fill = async () => {
      for (;;) await link.call('beginBlob', { size: 1 })
    }
    await expect(fill()).rejects.toSatisfy(coded('relay-full'))
    const taking = filesOf(alice).spool(piecesOf(randomFile(600_000)), { uploads: 'now' })
    const uploading = taking.then(spool => spool.uploaded())
    await expect(uploading).rejects.toSatisfy(coded('relay-full'))
    await (await taking.catch(() => undefined))?.release()
    expect(left(world, alice)).toEqual(NOTHING)
  },
)
