// What stands in a JPEG before its scan, read as it comes: how many blocks there are, and in which codes they are written.
import { gatewayLimits } from '@postern/protocol'
import { HuffmanTable } from './huffman-table.ts'

/** The tables of one block. */
export type BlockCodes = { means: HuffmanTable; rest: HuffmanTable }

export type Frame = {
  width: number
  height: number
  /** The blocks that stand together, in their order. */
  group: BlockCodes[]
  groupCount: number
  /** So many groups, and then a marker; 0: there are none. */
  groupsPerRestart: number
}

type Component = { id: number; across: number; down: number }
type Sizes = { width: number; height: number; components: Component[] }

const MARKER = { start: 0xd8, frame: 0xc0, extendedFrame: 0xc1, codes: 0xc4, restarts: 0xdd, scan: 0xda }
/** Quantisation, comments, and what applications write. */
const isPassedOver = (marker: number): boolean => marker === 0xdb || marker === 0xfe || (marker & 0xf0) === 0xe0

const BLOCK_SIDE = 8
const BLOCKS_TOGETHER_MAX = 10
const MEANS = 0
const REST = 1

/** What the segments so far have said. Only what nearly all photos have is taken: everything else is `unusual`. */
export class JpegHead {
  /** By class and number, as in their first byte. */
  readonly #tables = new Map<number, HuffmanTable>()
  #sizes: Sizes | undefined
  #groupsPerRestart = 0
  #at = 0

  /** Where the scan begins, by the bytes from the beginning of the file. Undefined while more are needed. */
  read(bytes: Uint8Array): { frame: Frame; scanAt: number } | 'unusual' | undefined {
    if (this.#at === 0) {
      if (bytes.length < 2) return undefined
      if (bytes[0] !== 0xff || bytes[1] !== MARKER.start) return 'unusual'
      this.#at = 2
    }
    for (;;) {
      const head = bytes.subarray(this.#at, this.#at + 4)
      if (head.length < 4) return undefined
      const length = wordAt(head, 2)
      if (head[0] !== 0xff || length < 2) return 'unusual'
      const end = this.#at + 2 + length
      if (bytes.length < end) return undefined
      const body = bytes.subarray(this.#at + 4, end)
      this.#at = end
      if (head[1] === MARKER.scan) {
        const frame = this.#frame(body)
        return frame ? { frame, scanAt: end } : 'unusual'
      }
      if (!this.#take(head[1] ?? 0, body)) return 'unusual'
    }
  }

  #take(marker: number, body: Uint8Array): boolean {
    switch (marker) {
      case MARKER.frame:
      case MARKER.extendedFrame:
        return this.#takeSizes(body)
      case MARKER.codes:
        return this.#takeTables(body)
      case MARKER.restarts:
        this.#groupsPerRestart = wordAt(body, 0)
        return body.length === 2
      default:
        return isPassedOver(marker)
    }
  }

  #takeSizes(body: Uint8Array): boolean {
    const [precision, , , , , count = 0] = body
    const sizes = { width: wordAt(body, 3), height: wordAt(body, 1) }
    if (this.#sizes || precision !== 8 || count === 0 || body.length !== 6 + 3 * count) return false
    const components = Array.from({ length: count }, (_, index) => {
      const [id = 0, sampling = 0] = body.subarray(6 + 3 * index)
      return { id, across: sampling >> 4, down: sampling & 15 }
    })
    this.#sizes = { ...sizes, components }
    return isWorthIt(sizes) && components.every(({ across, down }) => isSampling(across) && isSampling(down))
  }

  #takeTables(body: Uint8Array): boolean {
    for (let at = 0; at < body.length; ) {
      const counts = body.slice(at + 1, at + 17)
      const end = at + 17 + counts.reduce((sum, count) => sum + count, 0)
      const table = end > body.length ? undefined : HuffmanTable.of(counts, body.slice(at + 17, end))
      if (!table) return false
      this.#tables.set(body[at] ?? 0, table)
      at = end
    }
    return true
  }

  /** Of a scan that has all there is of the picture. */
  #frame(body: Uint8Array): Frame | undefined {
    const sizes = this.#sizes
    const count = body[0] ?? 0
    if (!sizes || count !== sizes.components.length || body.length !== 4 + 2 * count) return undefined
    const [first, last, precision] = body.subarray(1 + 2 * count)
    if (first !== 0 || last !== 63 || precision !== 0) return undefined
    const group: BlockCodes[] = []
    for (const [index, component] of sizes.components.entries()) {
      const [id, tables = 0] = body.subarray(1 + 2 * index)
      const means = this.#tables.get((MEANS << 4) | (tables >> 4))
      const rest = this.#tables.get((REST << 4) | (tables & 15))
      if (id !== component.id || !means || !rest) return undefined
      // One component alone is written block by block, whatever its sampling.
      const blocks = count === 1 ? 1 : component.across * component.down
      group.push(...Array.from({ length: blocks }, () => ({ means, rest })))
    }
    if (group.length > BLOCKS_TOGETHER_MAX) return undefined
    const { width, height } = sizes
    return { width, height, group, groupCount: groupCount(sizes), groupsPerRestart: this.#groupsPerRestart }
  }
}

function groupCount({ width, height, components }: Sizes): number {
  const [across, down] =
    components.length === 1
      ? [1, 1]
      : [Math.max(...components.map(one => one.across)), Math.max(...components.map(one => one.down))]
  return Math.ceil(width / (BLOCK_SIDE * across)) * Math.ceil(height / (BLOCK_SIDE * down))
}

/**
 * Only what is shown at an eighth of its size or less: there the library looks at the means alone. Of a long and narrow
 * one the short side may not become so much smaller.
 */
function isWorthIt({ width, height }: { width: number; height: number }): boolean {
  const long = Math.max(width, height)
  return (
    long >= 9 * gatewayLimits.previewSidePixelsMax &&
    Math.min(width, height) * 64 >= long &&
    width * height <= gatewayLimits.picturePixelsMax
  )
}

const isSampling = (factor: number): boolean => factor >= 1 && factor <= 4

const wordAt = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
