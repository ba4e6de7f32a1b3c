// Reusable buffers for one stretch of a sealed file: discarded memory outside the heap is freed late.
import { clientLimits } from '@postern/protocol'
import { STRETCH_BYTES } from './file-format.ts'

export class ChunkBuffers {
  readonly #free: Uint8Array[] = []

  borrow(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(STRETCH_BYTES)
  }

  /** Only a buffer that nothing reads any more, not even a socket. */
  giveBack(buffer: Uint8Array): void {
    if (this.#free.length < clientLimits.fileBuffersKeptMax) this.#free.push(buffer)
  }
}
