// The scan of a JPEG as it comes, in pieces that end anywhere: what is in it goes to the blocks, between its markers.
import { BitWriter } from './bit-writer.ts'
import type { Frame } from './jpeg-head.ts'
import { BlockThinner, GROUP_BYTES_MAX } from './thin-blocks.ts'

const WORK_BYTES = 64 * 1024
const FIRST_RESTART = 0xd0
const RESTARTS = 8
const END_OF_IMAGE = 0xd9

export type Progress = 'more' | 'done' | 'unusual'

export class ThinScan {
  readonly #blocks: BlockThinner
  readonly #writer: BitWriter
  readonly #groupsPerRestart: number
  /** Without the zeros behind each 0xFF. */
  readonly #work = new Uint8Array(WORK_BYTES + 2 * GROUP_BYTES_MAX)
  readonly #view = new DataView(this.#work.buffer)
  #workBytes = 0
  /** In bits. */
  #at = 0
  #groupsLeft: number
  /** Before the next marker. */
  #groupsInPart: number
  #restarts = 0
  #endsWithFf = false

  static of(frame: Frame): ThinScan | undefined {
    const writer = new BitWriter()
    const blocks = BlockThinner.of(frame.group, writer)
    return blocks && new ThinScan(frame, { blocks, writer })
  }

  private constructor(frame: Frame, { blocks, writer }: { blocks: BlockThinner; writer: BitWriter }) {
    this.#blocks = blocks
    this.#writer = writer
    this.#groupsPerRestart = frame.groupsPerRestart || frame.groupCount
    this.#groupsLeft = frame.groupCount
    this.#groupsInPart = Math.min(this.#groupsPerRestart, frame.groupCount)
  }

  /** Nothing of the piece is kept. */
  add(piece: Uint8Array): Progress {
    const source = new DataView(piece.buffer, piece.byteOffset, piece.byteLength)
    for (let at = 0; at < piece.length; ) {
      const taken = this.#take(source, at)
      at = taken.next
      if (!this.#thin({ isWhole: taken.marker !== undefined })) return 'unusual'
      if (taken.marker === END_OF_IMAGE) return this.#groupsLeft === 0 ? 'done' : 'unusual'
      if (taken.marker !== undefined && !this.#restart(taken.marker)) return 'unusual'
    }
    return 'more'
  }

  /** With its end. */
  get written(): Uint8Array {
    return this.#writer.written
  }

  /** Up to a marker, the end of the piece, or what there is room for. */
  #take(source: DataView, from: number): { next: number; marker?: number } {
    const view = this.#view
    const end = Math.min(source.byteLength, from + WORK_BYTES + GROUP_BYTES_MAX - this.#workBytes)
    let length = this.#workBytes
    let isBehindFf = this.#endsWithFf
    let marker = 0
    let at = from
    while (at < end && marker === 0) {
      // By words of four bytes: byte by byte this would take as long as all the codes.
      const lastWord = isBehindFf ? -1 : end - 4
      for (; at <= lastWord; at += 4, length += 4) {
        const word = source.getInt32(at)
        if (hasFf(word)) break
        view.setInt32(length, word)
      }
      if (at === end) break
      const byte = source.getUint8(at++)
      if (isBehindFf) marker = byte
      else view.setUint8(length++, byte)
      isBehindFf = !isBehindFf && byte === 0xff
    }
    this.#endsWithFf = isBehindFf
    // The 0xFF was part of the marker.
    this.#workBytes = marker === 0 ? length : length - 1
    return marker === 0 ? { next: at } : { next: at, marker }
  }

  /** What is whole by now: the last bytes wait for the rest of their group, unless there is none. */
  #thin({ isWhole }: { isWhole: boolean }): boolean {
    const usable = isWhole ? this.#workBytes : this.#workBytes - GROUP_BYTES_MAX
    const stretch = { bytes: this.#view, from: this.#at, end: usable * 8, groups: this.#groupsInPart }
    const thinned = this.#blocks.thin(stretch)
    if (!thinned) return false
    this.#at = thinned.at
    this.#groupsLeft -= thinned.done
    this.#groupsInPart -= thinned.done
    if (isWhole) return this.#isUsedUp()
    const usedBytes = this.#at >>> 3
    this.#work.copyWithin(0, usedBytes, this.#workBytes)
    this.#workBytes -= usedBytes
    this.#at &= 7
    // More bytes than the groups have: they would fill the room, and no piece came to its end.
    return this.#groupsInPart > 0 || this.#workBytes <= GROUP_BYTES_MAX
  }

  /** All groups, and no byte too many or too few. */
  #isUsedUp(): boolean {
    const left = this.#workBytes * 8 - this.#at
    this.#workBytes = 0
    this.#at = 0
    this.#writer.fill()
    return this.#groupsInPart === 0 && left >= 0 && left < 8
  }

  #restart(marker: number): boolean {
    const isNext = marker === FIRST_RESTART + (this.#restarts % RESTARTS)
    if (!isNext || this.#groupsLeft === 0) return false
    this.#restarts += 1
    this.#groupsInPart = Math.min(this.#groupsPerRestart, this.#groupsLeft)
    if (!this.#writer.hasRoomFor(2)) return false
    this.#writer.marker(marker)
    return true
  }
}

/** Never false for a word with such a byte. */
const hasFf = (word: number): boolean => ((~word - 0x01010101) & word & 0x80808080) !== 0
