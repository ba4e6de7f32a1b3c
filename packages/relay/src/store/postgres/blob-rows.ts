// Blobs on PostgreSQL: whose they are, how long they are or may become, whether they are complete.
import type { BlobId } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { RelayStore, StoredBlob } from '../relay-store.ts'
import type { AccountNumbers } from './account-numbers.ts'
import type { Postgres } from './database.ts'

type Parts = { numbers: AccountNumbers; limits: RelayLimits }

export class PgBlobRows {
  readonly #database: Postgres
  readonly #parts: Parts

  constructor(database: Postgres, parts: Parts) {
    this.#database = database
    this.#parts = parts
  }

  async begin(_blob: BlobId, _given: Parameters<RelayStore['beginBlob']>[1]): Promise<void> {
    throw new Error('not written yet')
  }

  async get(_blob: BlobId): Promise<StoredBlob | undefined> {
    throw new Error('not written yet')
  }

  async finish(_blob: BlobId, _done: { size: number; nowMs: number }): Promise<void> {
    throw new Error('not written yet')
  }

  async expired(_nowMs: number, _countMax: number): Promise<BlobId[]> {
    throw new Error('not written yet')
  }

  async unfinished(): Promise<BlobId[]> {
    throw new Error('not written yet')
  }

  async forget(_blob: BlobId, _length: number): Promise<void> {
    throw new Error('not written yet')
  }
}
