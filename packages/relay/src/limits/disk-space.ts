// Watches the free space on the disk.
// The relay stops accepting data before the disk is full, because accepted data needs space too.
import { statfsSync } from 'node:fs'
import { type Clock, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from './relay-limits.ts'

export type DiskRoom = { freeBytes: number; totalBytes: number }

type Around = { limits: RelayLimits; clock: Clock; read: () => DiskRoom }

/** On a small disk the reserve is a share of it: otherwise nothing could be stored there at all. */
const { diskShareForBlobs, diskShareForMessages } = relayFixedLimits

export class DiskSpace {
  readonly #around: Around
  #seen: DiskRoom = { freeBytes: 0, totalBytes: 0 }
  #seenMs = Number.NEGATIVE_INFINITY
  /** Bytes written since the last reading. */
  #spent = 0

  constructor(around: Around) {
    this.#around = around
  }

  /** The last reading, minus the bytes written since. */
  get freeBytes(): number {
    return this.#seen.freeBytes - this.#spent
  }

  get totalBytes(): number {
    return this.#seen.totalBytes
  }

  spend(bytes: number): void {
    this.#spent += bytes
  }

  /** Blobs stop first: they are large, and messages matter more. */
  fitsBlob(bytes: number): boolean {
    const { diskFreeForBlobsBytesMin } = this.#around.limits
    return this.#fits(bytes, () => Math.min(diskFreeForBlobsBytesMin, this.totalBytes / diskShareForBlobs))
  }

  /** Acknowledgements, farewells and sweeping continue in the remaining space. */
  fitsMessages(): boolean {
    const { diskFreeBytesMin } = this.#around.limits
    return this.#fits(0, () => Math.min(diskFreeBytesMin, this.totalBytes / diskShareForMessages))
  }

  /** Reads the disk rarely while there is enough space, and always before a refusal. */
  #fits(bytes: number, reserve: () => number): boolean {
    const fits = () => this.freeBytes - bytes >= reserve()
    if (this.#isFresh() && fits()) return true
    this.#look()
    return fits()
  }

  #isFresh(): boolean {
    const ageMs = this.#around.clock.monotonicMs() - this.#seenMs
    return this.#spent < relayFixedLimits.diskLookAfterBytes && ageMs < relayFixedLimits.diskLookAfterMs
  }

  #look(): void {
    this.#seen = this.#around.read()
    this.#seenMs = this.#around.clock.monotonicMs()
    this.#spent = 0
  }
}

/**
 * The space that an unprivileged user may still write.
 * If the system cannot report it, assume there is space: the disk will fail the write.
 */
export function readDiskRoom(directory: string): DiskRoom {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return { freeBytes: Number.MAX_SAFE_INTEGER, totalBytes: Number.MAX_SAFE_INTEGER }
  }
}
