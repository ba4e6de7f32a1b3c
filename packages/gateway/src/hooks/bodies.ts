// Bodies of posts on their way into memory: each has a limit, and so have all of them together.
import { CodedError, hookLimits } from '@postern/protocol'

export class Bodies {
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
      throw new CodedError('bad-field', { field: 'body', rule: `at most ${bodyBytesMax} bytes are allowed` })
    if (this.#heldBytes > bodiesBytesMax) throw new CodedError('rate-limited', { what: 'posts to hooks' })
  }
}
