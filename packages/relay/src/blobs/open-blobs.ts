// Opens the place for blobs. The S3 code is loaded only when it is needed.
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, CodedError, type Log, systemCodeOf } from '@postern/protocol'
import { DiskSpace, readDiskRoom } from '../limits/disk-space.ts'
import type { RelayLimits } from '../limits/relay-limits.ts'
import { BLOBS_NAME } from '../store/claim-directory.ts'
import type { RelayStore } from '../store/relay-store.ts'
import type { BlobPlace } from './blob-place.ts'
import { type BlobDisk, BlobRoom, endlessDisk } from './blob-room.ts'
import type { BlobStore } from './blob-store.ts'
import { FileBlobStore } from './file-blob-store.ts'
import { SharedLengths } from './shared-lengths.ts'

type Around = { dataDirectory: string; disk: BlobDisk; store: RelayStore; clock: Clock; limits: RelayLimits; log?: Log }

/** Without a place, blobs are in the data directory. Throws `bad-field` if the place cannot be used. */
export async function openBlobs(
  place: BlobPlace | undefined,
  around: Around,
): Promise<{ blobs: BlobStore; room: BlobRoom }> {
  const { blobs, disk } = await open(place, around)
  try {
    const room = new BlobRoom(around.limits, disk)
    await room.count({ store: around.store, blobs })
    return { blobs, room }
  } catch (error) {
    blobs.close()
    throw error
  }
}

async function open(place: BlobPlace | undefined, around: Around): Promise<{ blobs: BlobStore; disk: BlobDisk }> {
  const { dataDirectory, disk, store, clock, limits, log } = around
  switch (place?.kind) {
    case undefined:
      return { blobs: new FileBlobStore(join(dataDirectory, BLOBS_NAME)), disk }
    case 'directory': {
      const { directory } = place
      assertWritable(directory)
      const lengths = new SharedLengths(store.blobParts)
      const read = () => readDiskRoom(directory)
      return { blobs: new FileBlobStore(directory, { lengths }), disk: new DiskSpace({ limits, clock, read }) }
    }
    case 's3': {
      const { openS3BlobStore } = await import('./s3/s3-blob-store.ts')
      return { blobs: await openS3BlobStore(place, { parts: store.blobParts, clock, limits, log }), disk: endlessDisk }
    }
  }
}

/**
 * Does not create the directory:
 * if a network disk is not mounted, blobs would be stored on this machine, where no other relay finds them.
 */
function assertWritable(directory: string): void {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    if (!statSync(directory).isDirectory()) throw Object.assign(new Error('no directory'), { code: 'ENOTDIR' })
  } catch (cause) {
    const rule = `the relay cannot write to the directory ${directory} (${systemCodeOf(cause)}). Create it, or mount it`
    throw new CodedError('bad-field', { field: '--blobs', rule }, { cause })
  }
}
