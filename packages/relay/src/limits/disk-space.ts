// How much room the disk has left. Nothing more is taken while some is still there: what was accepted needs it.
import { statfsSync } from 'node:fs'
import { type Clock, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from './relay-limits.ts'

export type DiskRoom = { freeBytes: number; totalBytes: number }

type Around = { limits: RelayLimits; clock: Clock; read: () => DiskRoom }

/** On a small disk the reserve is a share of it: else nothing could be stored there at all. */
const { diskShareForBlobs, diskShareForMessages } = relayFixedLimits

export class DiskSpace {
  readonly #around: Around
  #seen: DiskRoom = { freeBytes: 0, totalBytes: 0 }
  #seenMs = Number.NEGATIVE_INFINITY
  /** Written since it was looked at. */
  #spent = 0

  constructor(around: Around) {
    this.#around = around
  }

  /** As last seen, less what was written since. */
  get freeBytes(): number {
    return this.#seen.freeBytes - this.#spent
  }

  get totalBytes(): number {
    return this.#seen.totalBytes
  }

  spend(bytes: number): void {
    this.#spent += bytes
  }

  /** Blobs stop first: they are large, and messages are what the relay is for. */
  fitsBlob(bytes: number): boolean {
    const { diskFreeForBlobsBytesMin } = this.#around.limits
    return this.#fits(bytes, () => Math.min(diskFreeForBlobsBytesMin, this.totalBytes / diskShareForBlobs))
  }

  /** Acknowledgements, farewells and sweeping go on with what is left. */
  fitsMessages(): boolean {
    const { diskFreeBytesMin } = this.#around.limits
    return this.#fits(0, () => Math.min(diskFreeBytesMin, this.totalBytes / diskShareForMessages))
  }

  /** While there is plenty it is looked at seldom; before anything is refused it is looked at again. */
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

/** What a user without privileges may still write. A system that does not say counts as one with room: the disk says more. */
export function readDiskRoom(directory: string): DiskRoom {
  try {
    const { bavail, blocks, bsize } = statfsSync(directory)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  } catch {
    return { freeBytes: Number.MAX_SAFE_INTEGER, totalBytes: Number.MAX_SAFE_INTEGER }
  }
}
