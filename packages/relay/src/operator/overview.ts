// How the relay is at this moment, in numbers: for `postern relay status`, its metrics and the line in its log.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { relayFixedLimits } from '@postern/protocol'
import type { BlobUploads } from '../blobs/upload-blob.ts'
import type { ConnectionRegistry } from '../connections/connection-registry.ts'
import type { RelayContext } from '../context.ts'
import { DATABASE_NAME } from '../store/claim-directory.ts'
import type { StoreCounts } from '../store/relay-store.ts'

export type ServedRelay = {
  parts: RelayContext
  visitors: ConnectionRegistry
  uploads: BlobUploads
  dataDirectory: string
}

export type OverviewCounts = StoreCounts & {
  /** Connections that have logged in, and those that have not. */
  members: number
  newcomers: number
  uploads: number
  /** Of all blobs, those on their way included. */
  blobRoomBytes: number
  logBytes: number
  diskFreeBytes: number
  diskTotalBytes: number
  takesMessages: boolean
  takesBlobs: boolean
}

export class Overview {
  readonly #served: ServedRelay
  #rows: { figures: StoreCounts; readMs: number } | undefined

  constructor(served: ServedRelay) {
    this.#served = served
  }

  /** `rows`: counted now, or within the last minute. */
  async read(rows: 'now' | 'lately'): Promise<OverviewCounts> {
    const { parts, visitors, uploads, dataDirectory } = this.#served
    const { disk, room, store } = parts
    return {
      ...(await this.#counted(rows)),
      members: visitors.memberCount,
      newcomers: visitors.waitingCount,
      uploads: uploads.count,
      blobRoomBytes: room.bytes,
      logBytes: sizeOf(join(dataDirectory, `${DATABASE_NAME}-wal`)),
      // First, as these look at the disk again when it is time.
      takesBlobs: room.refusal(1) === undefined,
      // A server's disk is not this one: it says itself when it is full.
      takesMessages: store.kind === 'postgresql' || disk.fitsMessages(),
      diskFreeBytes: disk.freeBytes,
      diskTotalBytes: disk.totalBytes,
    }
  }

  /** To count all rows takes a while, and everybody waits: not for every look of a Prometheus. */
  async #counted(rows: 'now' | 'lately'): Promise<StoreCounts> {
    const { store, clock } = this.#served.parts
    const nowMs = clock.monotonicMs()
    if (rows === 'now' || !this.#rows || nowMs - this.#rows.readMs >= relayFixedLimits.rowsCountedEveryMs)
      this.#rows = { figures: await store.figures(), readMs: nowMs }
    return this.#rows.figures
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
