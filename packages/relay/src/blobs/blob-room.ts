// How many bytes all blobs have together, and whether more may come. Counted as they come: who only announces takes no room.
import { CodedError } from '@postern/protocol'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { RelayStore } from '../store/relay-store.ts'
import type { BlobStore } from './blob-store.ts'

/** The disk that they are on, if it is one. */
export type BlobDisk = { fitsBlob(bytes: number): boolean; spend(bytes: number): void }

/** A store of objects says itself when it is full. */
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

  /** Of all blobs, complete and on their way. */
  get bytes(): number {
    return this.#bytes
  }

  /** Undefined when so many bytes more would fit. */
  refusal(bytes: number): CodedError | undefined {
    const fits = this.#bytes + bytes <= this.#limits.blobsBytesMax && this.#disk.fitsBlob(bytes)
    return fits ? undefined : new CodedError('storage-full')
  }

  /** They are there from now on, unless it gives why not. */
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

  /** At the start, and now and then: a piece that a dead disk has cut off again is still counted until here. */
  async count({ store, blobs }: Counted): Promise<void> {
    const before = this.#bytes
    let found = (await store.figures()).blobBytes
    for (const blob of await store.unfinishedBlobs()) found += await blobs.length(blob)
    // What has come meanwhile may be counted twice until the next time, and is never missing.
    this.#bytes = found + Math.max(0, this.#bytes - before)
  }
}
