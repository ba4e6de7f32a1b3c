// Counts the bytes of all blobs and decides whether more fit.
// Bytes count when they arrive: an announcement takes no space.
import { CodedError } from '@postern/protocol'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { RelayStore } from '../store/relay-store.ts'
import type { BlobStore } from './blob-store.ts'

/** The disk that holds the blobs, if there is one. */
export type BlobDisk = { fitsBlob(bytes: number): boolean; spend(bytes: number): void }

/** An object store reports itself when it is full. */
export const endlessDisk: BlobDisk = { fitsBlob: () => true, spend: () => undefined }

type Counted = { store: RelayStore; blobs: BlobStore }

export class BlobRoom {
  readonly #limits: RelayLimits
  readonly #disk: BlobDisk
  #bytes = 0

  constructor(limits: RelayLimits, disk: BlobDisk) {
    this.#limits = limits
    this.#disk = disk
  }

  /** Bytes of all blobs, complete and unfinished. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns undefined if the bytes would fit. */
  refusal(bytes: number): CodedError | undefined {
    const fits = this.#bytes + bytes <= this.#limits.blobsBytesMax && this.#disk.fitsBlob(bytes)
    return fits ? undefined : new CodedError('storage-full')
  }

  /** Counts the bytes as stored, unless it returns a refusal. */
  spend(bytes: number): CodedError | undefined {
    const refusal = this.refusal(bytes)
    if (refusal) return refusal
    this.#bytes += bytes
    this.#disk.spend(bytes)
    return undefined
  }

  giveBack(bytes: number): void {
    this.#bytes = Math.max(0, this.#bytes - bytes)
  }

  /**
   * At the start and periodically:
   * bytes of a piece that a failing disk truncated stay counted until the next count.
   */
  async count({ store, blobs }: Counted): Promise<void> {
    const before = this.#bytes
    let found = (await store.figures()).blobBytes
    for (const blob of await store.unfinishedBlobs()) found += await blobs.length(blob)
    // Bytes that arrived during the count may count twice until the next count, but are never missed.
    this.#bytes = found + Math.max(0, this.#bytes - before)
  }
}
