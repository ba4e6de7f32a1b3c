// Reads a byte stream up to a delimiter: small parts whole, large parts as a stream.

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array, undefined>
  #held: Buffer

  constructor(source: AsyncIterator<Uint8Array, undefined>, before: Buffer) {
    this.#source = source
    this.#held = before
  }

  /** False at the end. */
  async #more(): Promise<boolean> {
    // A copy: the buffer of the last piece is reused for the next one.
    if (this.#held.length > 0) this.#held = Buffer.from(this.#held)
    const next: IteratorResult<Uint8Array, undefined> = await this.#source.next()
    if (next.done) return false
    const chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length)
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    return true
  }

  /** The next bytes, without consuming them; undefined when the stream ends before. */
  async peek(length: number): Promise<Buffer | undefined> {
    while (this.#held.length < length) if (!(await this.#more())) return undefined
    return this.#held.subarray(0, length)
  }

  /** The bytes before the delimiter, which is consumed; undefined when it does not come within `bytesMax` bytes. */
  async until(delimiter: Buffer, bytesMax: number): Promise<Buffer | undefined> {
    for (;;) {
      const at = this.#held.indexOf(delimiter)
      if (at > bytesMax) return undefined
      if (at >= 0) return this.#passWith(delimiter, at)
      if (this.#held.length > bytesMax + delimiter.length || !(await this.#more())) return undefined
    }
  }

  /** The bytes before the delimiter, in pieces; the delimiter is consumed. Throws `end` when the stream ends before. */
  async *streamUntil(delimiter: Buffer, end: () => Error): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#held.indexOf(delimiter)
      if (at >= 0) {
        const last = this.#passWith(delimiter, at)
        if (last.length > 0) yield last
        return
      }
      const piece = this.#pass(this.#held.length - beginningAtEnd(this.#held, delimiter))
      if (piece.length > 0) yield piece
      if (!(await this.#more())) throw end()
    }
  }

  #pass(length: number): Buffer {
    const elapsed = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    return elapsed
  }

  #passWith(delimiter: Buffer, length: number): Buffer {
    const elapsed = this.#pass(length)
    this.#pass(delimiter.length)
    return elapsed
  }
}

/** How many bytes at the end may be the beginning of a delimiter whose rest has not arrived. */
function beginningAtEnd(bytes: Buffer, delimiter: Buffer): number {
  const first = delimiter[0] ?? 0
  for (let at = Math.max(0, bytes.length - delimiter.length + 1); ; at++) {
    at = bytes.indexOf(first, at)
    if (at < 0) return 0
    if (bytes.subarray(at).equals(delimiter.subarray(0, bytes.length - at))) return bytes.length - at
  }
}
