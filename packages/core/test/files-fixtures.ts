// Fixtures for tests of files: a wire for blobs that can be cut and changed, and a file that alice has shared with bob.
import type { TestPerson, World } from '@postern/testkit'
import { test as inWorld } from '@postern/testkit/fixtures'
import { BlobWire } from './blob-wire.ts'
import { CHUNK, fetched, filesOf, LONG, randomFile, share } from './files-world.ts'

const SIZE = 2 * CHUNK + 5000

export const test = inWorld
  .extend('wire', () => new BlobWire())
  .extend(
    'personWith',
    ({ world, wire }) =>
      (options: Parameters<World['person']>[1] = {}): Promise<TestPerson> =>
        world.person('alice', { connectBlobs: wire.connect, ...options }),
  )

export const testWithFile = test
  .extend('bob', ({ world, wire }) => world.person('bob', { connectBlobs: wire.connect }))
  .extend('bytes', () => randomFile(SIZE))
  .extend('stored', ({ alice, bytes }) => share(alice, bytes))
  .extend(
    'open',
    ({ bob, stored }) =>
      (file = stored) =>
        filesOf(bob).open(file, LONG),
  )
  .extend(
    'isWhole',
    ({ bob, stored, bytes }) =>
      async (person = bob) =>
        Buffer.compare(await fetched(person, stored), bytes) === 0,
  )
