// Buffers of one stretch of a sealed file, used again: memory outside the heap that is thrown away is given back late.
import { clientLimits } from '@postern/protocol'
import { STRETCH_BYTES } from './file-format.ts'

export class ChunkBuffers {
  readonly #free: Uint8Array[] = []

  borrow(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(STRETCH_BYTES)
  }

  /** Only what nobody reads from any more, also no socket. */
  giveBack(buffer: Uint8Array): void {
    if (this.#free.length < clientLimits.fileBuffersKeptMax) this.#free.push(buffer)
  }
}
