// Reads the blocks of a JPEG's scan, and writes of each its mean alone. The rest is stepped over, not decoded.
import { type BitWriter, PUT_BITS_MAX } from './bit-writer.ts'
import { bitsOf, type Code, type HuffmanTable, isBlockEnd, PEEK_BITS, STEP_SHIFT } from './huffman-table.ts'
import type { BlockCodes } from './jpeg-head.ts'

/** A group of ten blocks in the longest codes there are. Whoever calls has so many bytes behind each group, of whatever. */
export const GROUP_BYTES_MAX = 10 * 64 * 4
/** The same of what is written of it. */
const WRITTEN_BYTES_MAX = 10 * 2 * 6
const UNUSUAL = -1
const PEEK_SHIFT = 32 - PEEK_BITS

type Block = { means: HuffmanTable; meanLookup: Uint8Array; rest: HuffmanTable; stepLookup: Uint16Array; end: Code }

export type Stretch = {
  bytes: DataView<ArrayBuffer>
  /** In bits. Groups that begin behind the end are left. */
  from: number
  end: number
  groups: number
}

export class BlockThinner {
  readonly #group: readonly Block[]
  readonly #writer: BitWriter

  /** Undefined where a table has no end of a block: nothing can be left out then. */
  static of(group: readonly BlockCodes[], writer: BitWriter): BlockThinner | undefined {
    const blocks: Block[] = []
    for (const codes of group) {
      const end = codes.rest.codeOf(0)
      if (!end) return undefined
      blocks.push({ ...codes, end, meanLookup: codes.means.meanLookup(), stepLookup: codes.rest.stepLookup() })
    }
    return new BlockThinner(blocks, writer)
  }

  private constructor(group: readonly Block[], writer: BitWriter) {
    this.#group = group
    this.#writer = writer
  }

  /** How many groups are done, and where the next one begins; undefined when one of them is not as it should be. */
  thin({ bytes, from, end, groups }: Stretch): { done: number; at: number } | undefined {
    let at = from
    let done = 0
    for (; done < groups && at < end; done++) {
      if (!this.#writer.hasRoomFor(WRITTEN_BYTES_MAX)) return undefined
      for (const block of this.#group) {
        at = this.#mean(block, bytes, at)
        if (at !== UNUSUAL) at = stepOver(block, bytes, at)
        if (at === UNUSUAL) return undefined
      }
    }
    return { done, at }
  }

  /** The mean as it stands there, and the end of the block. */
  #mean({ means, meanLookup, end }: Block, bytes: DataView, at: number): number {
    const byteAt = at >>> 3
    const past = at & 7
    const seen = (bytes.getUint32(byteAt) << past) | (bytes.getUint8(byteAt + 4) >>> (8 - past))
    const looked = meanLookup[seen >>> PEEK_SHIFT] ?? 0
    const count = looked > 0 ? looked : means.meanBits(seen >>> 16)
    if (count === 0) return UNUSUAL
    const bits = seen >>> (32 - count)
    if (count + end.length <= PUT_BITS_MAX) this.#writer.put((bits << end.length) | end.bits, count + end.length)
    else {
      this.#writer.put(bits >>> 16, Math.max(0, count - 16))
      this.#writer.put(bits & 0xffff, Math.min(16, count))
      this.#writer.put(end.bits, end.length)
    }
    return at + count
  }
}

/** Behind the last coefficient. The bits that were read ahead are at the top of `seen`: 24 of them at least. */
function stepOver({ rest, stepLookup }: Block, bytes: DataView, from: number): number {
  let byteAt = (from >>> 3) + 4
  let seen = bytes.getInt32(byteAt - 4) << (from & 7)
  let ahead = 32 - (from & 7)
  for (let place = 1; ; ) {
    const steps = stepLookup[seen >>> PEEK_SHIFT] ?? 0
    const next = place + (steps >> STEP_SHIFT)
    if (next < 64) {
      place = next
      seen <<= bitsOf(steps)
      ahead -= bitsOf(steps)
      seen |= bytes.getInt32(byteAt) >>> ahead
      byteAt += (31 - ahead) >> 3
      ahead |= 24
      continue
    }
    const at = byteAt * 8 - ahead
    if (isBlockEnd(next)) return at + bitsOf(steps)
    // Several steps at once may lead past the last coefficient, into the next block; and some codes are longer than a look.
    const step = rest.step(seen >>> 16)
    place += step >> STEP_SHIFT
    if (place >= 64) return isBlockEnd(place) ? at + bitsOf(step) : UNUSUAL
    byteAt = ((at + bitsOf(step)) >>> 3) + 4
    seen = bytes.getInt32(byteAt - 4) << ((at + bitsOf(step)) & 7)
    ahead = 32 - ((at + bitsOf(step)) & 7)
  }
}
