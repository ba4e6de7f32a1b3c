// Limits the bodies of hook posts in memory, each and all together.
import { CodedError, hookLimits } from '@postern/protocol'

export class BodyMemory {
  #heldBytes = 0

  /** The body stays counted for as long as the work takes. */
  async with<T>(upload: AsyncIterable<Uint8Array>, work: (body: Uint8Array) => Promise<T>): Promise<T> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const chunk of upload) {
        bytes += chunk.length
        this.#heldBytes += chunk.length
        this.#check(bytes)
        chunks.push(chunk)
      }
      return await work(Buffer.concat(chunks))
    } finally {
      this.#heldBytes -= bytes
    }
  }

  #check(bytes: number): void {
    const { bodyBytesMax, bodiesBytesMax } = hookLimits
    if (bytes > bodyBytesMax)
      throw new CodedError('bad-field', { field: 'body', rule: `must have at most ${bodyBytesMax} bytes` })
    if (this.#heldBytes > bodiesBytesMax) throw new CodedError('rate-limited', { what: 'posts to hooks' })
  }
}
