// A large JPEG while it goes by, made thin: the same head, and of each block of 8 × 8 pixels its mean alone. A picture that is
// shown at an eighth of its size looks the same, has a twentieth of the bytes, and is decoded in a tenth of the time.
import { gatewayLimits } from '@postern/protocol'
import { JpegHead } from './jpeg-head.ts'
import { ThinScan } from './thin-scan.ts'

const END_OF_IMAGE = [0xff, 0xd9]
const FIRST_HEAD_BYTES = 16 * 1024

type State =
  | { kind: 'head'; head: JpegHead }
  | { kind: 'scan'; scan: ThinScan }
  | { kind: 'done'; scan: ThinScan }
  /** Not a picture that is made thin: it is looked at whole, and judged by that alone. */
  | { kind: 'unusual' }

export class ThinJpeg {
  #head = new Uint8Array(FIRST_HEAD_BYTES)
  #headBytes = 0
  #size = 0
  #state: State = { kind: 'head', head: new JpegHead() }

  /** The piece is the caller's again when this returns. */
  add(piece: Uint8Array): void {
    this.#size += piece.length
    // Nobody makes a preview of it.
    if (this.#size > gatewayLimits.photoBytesMax) this.#giveUp()
    else if (this.#state.kind === 'head') this.#addToHead(piece, this.#state.head)
    else if (this.#state.kind === 'scan') this.#addToScan(piece, this.#state.scan)
  }

  /** Undefined for what is no such picture, or not all of one. */
  get bytes(): Uint8Array | undefined {
    if (this.#state.kind !== 'done') return undefined
    const { written } = this.#state.scan
    const bytes = new Uint8Array(this.#headBytes + written.length + END_OF_IMAGE.length)
    bytes.set(this.#head.subarray(0, this.#headBytes))
    bytes.set(written, this.#headBytes)
    bytes.set(END_OF_IMAGE, this.#headBytes + written.length)
    return bytes
  }

  #addToHead(piece: Uint8Array, head: JpegHead): void {
    const taken = piece.subarray(0, gatewayLimits.photoHeadBytesMax - this.#headBytes)
    const before = this.#headBytes
    this.#append(taken)
    const read = head.read(this.#head.subarray(0, this.#headBytes))
    if (read === undefined && taken.length === piece.length) return
    const scan = read === undefined || read === 'unusual' ? undefined : ThinScan.of(read.frame)
    if (!scan || read === undefined || read === 'unusual') return this.#giveUp()
    this.#headBytes = read.scanAt
    this.#state = { kind: 'scan', scan }
    this.#addToScan(piece.subarray(read.scanAt - before), scan)
  }

  #addToScan(piece: Uint8Array, scan: ThinScan): void {
    const progress = scan.add(piece)
    if (progress === 'unusual') this.#giveUp()
    else if (progress === 'done') this.#state = { kind: 'done', scan }
  }

  #append(bytes: Uint8Array): void {
    const length = this.#headBytes + bytes.length
    if (length > this.#head.length) {
      const longer = new Uint8Array(Math.max(length, this.#head.length * 2))
      longer.set(this.#head.subarray(0, this.#headBytes))
      this.#head = longer
    }
    this.#head.set(bytes, this.#headBytes)
    this.#headBytes = length
  }

  /** And holds nothing any more. */
  #giveUp(): void {
    this.#state = { kind: 'unusual' }
    this.#head = new Uint8Array(0)
  }
}
