// Memory of uploads before their bytes form a part.
// One limit covers all uploads; blocks keep the share of slow ones small.
import { relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'

const { blobBlockBytes } = relayFixedLimits

export class PartMemory {
  readonly #limits: RelayLimits
  #taken = 0

  constructor(limits: RelayLimits) {
    this.#limits = limits
  }

  /** Returns false, and takes nothing, if the limit would be exceeded. */
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

  /** Copies the bytes. Returns false if memory runs out; `length` then shows how many were copied. */
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

  /** In order. */
  pieces(): Uint8Array[] {
    return this.#blocks
      .map((block, at) => block.subarray(0, Math.max(0, this.#length - at * blobBlockBytes)))
      .filter(({ length }) => length > 0)
  }

  /** Prepares for the next part; the blocks are reused. */
  empty(): void {
    this.#length = 0
  }

  /** Call when nothing more is written. */
  free(): void {
    this.#memory.giveBack(this.#blocks.length * blobBlockBytes)
    this.#blocks.length = 0
    this.#length = 0
  }
}
