// Gathers many small pieces into few large ones: passing a piece on costs more than its bytes.
import { freeBytes } from './bytes.ts'
import { Deferred } from './waiting/deferred.ts'

/** The part of Node's readable stream that is used here. */
export interface ByteStream {
  readonly destroyed: boolean
  readonly readableEnded: boolean
  on(event: 'data', listener: (bytes: Uint8Array) => void): unknown
  on(event: 'end' | 'close', listener: () => void): unknown
  off(event: 'data', listener: (bytes: Uint8Array) => void): unknown
  off(event: 'end' | 'close', listener: () => void): unknown
  pause(): unknown
  resume(): unknown
}

export const GATHERED_BYTES = 1024 * 1024
/** The most that one read of a socket returns: such a read may come when the buffer is nearly full. */
const PIECE_BYTES = 64 * 1024
/** Enough for slow streams, of which there may be many. Only a fast stream gets a larger buffer. */
const FIRST_BYTES = 256 * 1024

/** Each piece is valid only until the next call. The stream stays open for later readers. */
export class GatheredBytes implements AsyncIterator<Uint8Array, undefined> {
  readonly #stream: ByteStream
  readonly #nextTurn: (wake: () => void) => void
  #filling = new Uint8Array(FIRST_BYTES)
  #spare = new Uint8Array(FIRST_BYTES)
  #held = 0
  #state: 'open' | 'ended' | 'broken' | 'left' = 'open'
  #isPaused = false
  #waiting: (() => void) | undefined

  /** `nextTurn`: Node's `setImmediate`. */
  constructor(stream: ByteStream, nextTurn: (wake: () => void) => void) {
    this.#stream = stream
    this.#nextTurn = nextTurn
    if (stream.readableEnded) this.#state = 'ended'
    else if (stream.destroyed) this.#state = 'broken'
    else {
      stream.on('end', this.#end)
      stream.on('close', this.#close)
      stream.on('data', this.#take)
    }
  }

  /** Throws when the stream breaks. */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#held === 0 && this.#state === 'open') await this.#arrival()
    if (this.#held > 0) return { done: false, value: this.#handOver() }
    if (this.#state === 'broken') throw new Error('cut off')
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#over('left')
    this.#held = 0
    return { done: true, value: undefined }
  }

  #arrival(): Promise<void> {
    const wait = new Deferred()
    this.#waiting = () => wait.resolve()
    return wait.promise
  }

  #handOver(): Uint8Array {
    const gathered = this.#filling.subarray(0, this.#held)
    ;[this.#filling, this.#spare] = [this.#spare, this.#filling]
    this.#held = 0
    if (this.#isPaused && this.#state === 'open') {
      this.#isPaused = false
      this.#stream.resume()
    }
    return gathered
  }

  readonly #take = (bytes: Uint8Array): void => {
    if (this.#held + bytes.length > this.#filling.length) this.#grow(this.#held + bytes.length)
    this.#filling.set(bytes, this.#held)
    this.#held += bytes.length
    freeBytes(bytes)
    if (this.#held >= GATHERED_BYTES) {
      this.#isPaused = true
      this.#stream.pause()
      this.#wake()
    } else if (this.#waiting) {
      // In the next turn: more pieces that have already arrived are read in this one.
      const wake = this.#waiting
      this.#waiting = undefined
      this.#nextTurn(wake)
    }
  }

  readonly #end = (): void => this.#over('ended')
  readonly #close = (): void => this.#over('broken')

  #over(state: 'ended' | 'broken' | 'left'): void {
    if (this.#state !== 'open') return
    this.#state = state
    this.#stream.off('data', this.#take)
    this.#stream.off('end', this.#end)
    this.#stream.off('close', this.#close)
    this.#wake()
  }

  #wake(): void {
    this.#waiting?.()
    this.#waiting = undefined
  }

  /** To the full size, or further when a single piece is larger than that. */
  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(bytes, GATHERED_BYTES + PIECE_BYTES))
    larger.set(this.#filling.subarray(0, this.#held))
    freeBytes(this.#filling)
    this.#filling = larger
  }
}
