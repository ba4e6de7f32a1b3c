// What uploads hold in memory until it is a part: counted for all of them together, and in blocks, so that who is slow takes little.
import { relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'

const { blobBlockBytes } = relayFixedLimits

export class PartMemory {
  readonly #limits: RelayLimits
  #taken = 0

  constructor(limits: RelayLimits) {
    this.#limits = limits
  }

  /** False, and nothing is taken, when that would be too much. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#limits.blobMemoryBytesMax) return false
    this.#taken += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes
  }
}

export class PartBytes {
  readonly #memory: PartMemory
  readonly #blocks: Uint8Array[] = []
  #length = 0

  constructor(memory: PartMemory) {
    this.#memory = memory
  }

  get length(): number {
    return this.#length
  }

  /** Copies them. False when there is no memory for all of them: then some of them may have been taken, as `length` says. */
  push(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      const used = this.#length % blobBlockBytes
      if (this.#length === this.#blocks.length * blobBlockBytes) {
        if (!this.#memory.take(blobBlockBytes)) return false
        this.#blocks.push(new Uint8Array(blobBlockBytes))
      }
      const taken = bytes.subarray(at, at + blobBlockBytes - used)
      this.#blocks.at(Math.floor(this.#length / blobBlockBytes))?.set(taken, used)
      this.#length += taken.length
      at += taken.length
    }
    return true
  }

  /** In order, one behind the other. */
  pieces(): Uint8Array[] {
    return this.#blocks
      .map((block, at) => block.subarray(0, Math.max(0, this.#length - at * blobBlockBytes)))
      .filter(({ length }) => length > 0)
  }

  /** For the next part; the blocks are used again. */
  empty(): void {
    this.#length = 0
  }

  /** When nothing is written any more. */
  free(): void {
    this.#memory.giveBack(this.#blocks.length * blobBlockBytes)
    this.#blocks.length = 0
    this.#length = 0
  }
}
