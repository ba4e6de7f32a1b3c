// The relay's current counts, for `postern relay status`, its metrics and the hourly log line.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { relayFixedLimits } from '@postern/protocol'
import { backupAgeSec } from '@postern/protocol/node'
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
  /** Includes blobs that are being uploaded. */
  blobRoomBytes: number
  logBytes: number
  diskFreeBytes: number
  diskTotalBytes: number
  /** Undefined without a backup, and on PostgreSQL, whose server is backed up by its own means. */
  backupAgeSec: number | undefined
  /** Devices with a push on its way or waiting for its time, and the age of their oldest entry. */
  pushesWaiting: number
  pushAgeSec: number
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
    const { disk, room, store, clock } = parts
    const hasServer = store.kind === 'postgresql'
    return {
      ...(await this.#counted(rows)),
      members: visitors.memberCount,
      newcomers: visitors.waitingCount,
      uploads: uploads.count,
      pushesWaiting: parts.push?.pusher.waitingCount ?? 0,
      pushAgeSec: (parts.push?.pusher.oldestAgeMs ?? 0) / 1000,
      blobRoomBytes: room.bytes,
      logBytes: sizeOf(join(dataDirectory, `${DATABASE_NAME}-wal`)),
      // Evaluated first, because these read the disk again when that is due.
      takesBlobs: room.refusal(1) === undefined,
      // A database server's disk is not this one; the server itself reports when it is full.
      takesMessages: hasServer || disk.fitsMessages(),
      diskFreeBytes: disk.freeBytes,
      diskTotalBytes: disk.totalBytes,
      backupAgeSec: hasServer ? undefined : backupAgeSec(dataDirectory, clock.nowMs()),
    }
  }

  /** Counting all rows takes a while and blocks others, so a Prometheus scrape gets a recent count. */
  async #counted(rows: 'now' | 'lately'): Promise<StoreCounts> {
    const { store, clock } = this.#served.parts
    const nowMs = clock.monotonicMs()
    if (rows === 'now' || !this.#rows || nowMs - this.#rows.readMs >= relayFixedLimits.rowsCountedEveryMs)
      this.#rows = { figures: await store.figures(), readMs: nowMs }
    return this.#rows.figures
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
