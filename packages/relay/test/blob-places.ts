// Blobs in each possible place, with a database beside them; all of it ends with the test.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { BLOB_ID_BYTES, type BlobId, blobIdFromBytes, systemClock } from '@postern/protocol'
import { S3Server } from '@postern/testkit/s3'
import { onTestFinished } from 'vitest'
import { type BlobPlace, blobPlaceIn } from '../src/blobs/blob-place.ts'
import type { BlobStore } from '../src/blobs/blob-store.ts'
import { openBlobs } from '../src/blobs/open-blobs.ts'
import { type RelayLimits, relayLimits } from '../src/limits/relay-limits.ts'
import type { RelayStore } from '../src/store/relay-store.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { InProcessWake } from '../src/store/wake.ts'
import type { OpenedBlobs } from './blob-store.contract.ts'
import { World } from './contract/world.ts'
import { temporaryDirectory } from './relay-fixture.ts'

const disk = { fitsBlob: () => true, spend: () => undefined }

export type StoredBlobs = OpenedBlobs & { store: RelayStore; again(): Promise<BlobStore> }

export async function blobsAt(
  place: BlobPlace | undefined,
  changed: Partial<RelayLimits> = {},
  clock = systemClock,
): Promise<StoredBlobs> {
  const dataDirectory = temporaryDirectory()
  const limits = relayLimits(changed)
  const store = openSqliteStore({ directory: dataDirectory, limits, wake: new InProcessWake(), clock })
  onTestFinished(() => store.close())
  const again = async (): Promise<BlobStore> => {
    const { blobs } = await openBlobs(place, { dataDirectory, disk, store, clock, limits })
    onTestFinished(() => blobs.close())
    return blobs
  }
  const [alice] = await new World(store).people()
  return {
    store,
    again,
    blobs: await again(),
    other: await again(),
    begin: async size => {
      const blob: BlobId = blobIdFromBytes(randomBytes(BLOB_ID_BYTES))
      await store.beginBlob(blob, { owner: alice, size, tokenHash: randomBytes(32), nowMs: clock.nowMs() })
      return blob
    },
    finish: (blob, size) => store.finishBlob(blob, { size, nowMs: clock.nowMs() }),
    forget: blob => store.forgetBlob(blob, 0),
  }
}

export function sharedDirectory(): BlobPlace {
  const directory = join(temporaryDirectory(), 'shared')
  mkdirSync(directory)
  return { kind: 'directory', directory }
}

export async function testS3(options?: Parameters<typeof S3Server.start>[0]): Promise<S3Server> {
  const server = await S3Server.start(options)
  onTestFinished(() => server.stop().catch(() => undefined))
  return server
}

export const placeOf = (server: S3Server): BlobPlace | undefined => blobPlaceIn(server.address(), server.environment)

/** For two relays in one process: each closes the store, but it stays open. */
export const sharedStore = (store: RelayStore): RelayStore =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'close') return async () => undefined
      const found: unknown = Reflect.get(target, name, target)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
