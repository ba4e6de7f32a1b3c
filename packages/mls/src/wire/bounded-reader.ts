// Walks MLS bytes without building anything: how many items are there, and are keys as long as keys? The library builds
// objects first and checks later; a stranger's million blank nodes would block the process for seconds.
import { MlsError } from '../mls-error.ts'
import { lengthBytes } from './vector-length.ts'

const malformed = (what: string) => new MlsError('mls-malformed', `The bytes are no structure of ours: ${what}.`)

export class BoundedReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get at(): number {
    return this.#at
  }

  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  number(byteCount: 1 | 2 | 4): number {
    let value = 0
    for (const byte of this.#take(byteCount)) value = value * 256 + byte
    return value
  }

  skip(byteCount: number): void {
    this.#take(byteCount)
  }

  /** A vector of bytes, with its own reader. */
  data(name: string, bytesMax: number): BoundedReader {
    const length = this.#length()
    if (length > bytesMax) throw malformed(`${name} has ${length} bytes, and at most ${bytesMax} are allowed`)
    return new BoundedReader(this.#take(length))
  }

  /** A key, a hash or a signature. */
  exactly(name: string, bytes: number): void {
    const length = this.#length()
    if (length !== bytes) throw malformed(`${name} has ${length} bytes and not ${bytes}`)
    this.#take(length)
  }

  /** A vector of items. Stops at the first one over the limit. */
  list(name: string, itemsMax: number, readItem: (reader: BoundedReader) => void): void {
    const items = new BoundedReader(this.#take(this.#length()))
    for (let count = 1; !items.isAtEnd(); count++) {
      if (count > itemsMax) throw malformed(`there are more than ${itemsMax} ${name}`)
      readItem(items)
    }
  }

  optional(readItem: (reader: BoundedReader) => void): void {
    const isPresent = this.number(1)
    if (isPresent > 1) throw malformed(`a value is present by the number ${isPresent}`)
    if (isPresent === 1) readItem(this)
  }

  /** RFC 9420 §2.1.2: the first two bits give the size of the length, and a longer form than needed is invalid. */
  #length(): number {
    const first = this.number(1)
    const more = [0, 1, 3][first >> 6]
    if (more === undefined) throw malformed('a length is out of range')
    let length = first & 0x3f
    for (const byte of this.#take(more)) length = length * 256 + byte
    if (1 + more !== lengthBytes(length)) throw malformed('a length is not in its shortest form')
    return length
  }

  #take(byteCount: number): Uint8Array {
    const end = this.#at + byteCount
    if (end > this.#bytes.length) throw malformed('it ends too early')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
