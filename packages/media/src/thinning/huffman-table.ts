// The codes of one Huffman table of a JPEG, as lookups that read several of them at a time.

/** So many bits are looked at at once: most codes are shorter, and the table stays in the processor's nearest cache. */
export const PEEK_BITS = 13
const CODE_BITS_MAX = 16
/** What a reader holds at least when it looks: one look must not use up more. */
const LOOK_BITS_MAX = 24
const BITS_MASK = 31
const COEFFICIENTS = 64

/**
 * A step is how many bits it takes, in the lowest five, and how many coefficients it goes on, above them. The end of a
 * block goes on so far that it cannot be taken for anything else.
 */
export const STEP_SHIFT = 5
const END_OF_BLOCK = 128
/** Goes further than any end: no step at all. */
const NO_STEP = 255 << STEP_SHIFT

export const bitsOf = (step: number): number => step & BITS_MASK
/** Behind the first 63, exactly, or by an end that stands inside the block. */
export const isBlockEnd = (next: number): boolean =>
  next === COEFFICIENTS || (next > END_OF_BLOCK && next < END_OF_BLOCK + COEFFICIENTS)

export type Code = { bits: number; length: number }

export class HuffmanTable {
  readonly #counts: Uint8Array
  readonly #symbols: Uint8Array
  /** By the length of a code: the first of them, and where its symbol stands. */
  readonly #firstCodes = new Uint32Array(CODE_BITS_MAX + 1)
  readonly #firstPlaces = new Uint16Array(CODE_BITS_MAX + 1)
  #meanLookup: Uint8Array | undefined
  #stepLookup: Uint16Array | undefined

  /** `counts`: how many codes there are of each length, from 1 bit to 16. Undefined when they are more than there can be. */
  static of(counts: Uint8Array, symbols: Uint8Array): HuffmanTable | undefined {
    const table = new HuffmanTable(counts, symbols)
    return table.#number() ? table : undefined
  }

  private constructor(counts: Uint8Array, symbols: Uint8Array) {
    this.#counts = counts
    this.#symbols = symbols
  }

  #number(): boolean {
    let code = 0
    let place = 0
    for (let length = 1; length <= CODE_BITS_MAX; length++) {
      const count = this.#counts[length - 1] ?? 0
      this.#firstCodes[length] = code
      this.#firstPlaces[length] = place
      code += count
      place += count
      // A code of ones alone is none.
      if (count > 0 && code >= 1 << length) return false
      code <<= 1
    }
    return true
  }

  /** The code with which 16 bits begin: its length, and its symbol in the lowest byte; 0 when it is none. */
  find(bits: number): number {
    for (let length = 1; length <= CODE_BITS_MAX; length++) {
      const at = (bits >>> (CODE_BITS_MAX - length)) - (this.#firstCodes[length] ?? 0)
      if (at < (this.#counts[length - 1] ?? 0))
        return (length << 8) | (this.#symbols[(this.#firstPlaces[length] ?? 0) + at] ?? 0)
    }
    return 0
  }

  codeOf(symbol: number): Code | undefined {
    const place = this.#symbols.indexOf(symbol)
    if (place < 0) return undefined
    for (let length = 1; length <= CODE_BITS_MAX; length++) {
      const at = place - (this.#firstPlaces[length] ?? 0)
      if (at < (this.#counts[length - 1] ?? 0)) return { bits: (this.#firstCodes[length] ?? 0) + at, length }
    }
    return undefined
  }

  /** The bits of a mean: its code, and the difference behind it. 0 when 16 bits begin with no code. */
  meanBits(bits: number): number {
    const found = this.find(bits)
    const differenceBits = found & 0xff
    return differenceBits > 15 ? 0 : (found >>> 8) + differenceBits
  }

  /** One step over coefficients. */
  step(bits: number): number {
    const found = this.find(bits)
    const length = found >>> 8
    const run = (found >>> 4) & 15
    const valueBits = found & 15
    if (length === 0) return NO_STEP
    if (valueBits > 0) return ((run + 1) << STEP_SHIFT) | (length + valueBits)
    if (run === 15) return (16 << STEP_SHIFT) | length
    return run === 0 ? (END_OF_BLOCK << STEP_SHIFT) | length : NO_STEP
  }

  /** 0 where the code is longer. */
  meanLookup(): Uint8Array {
    this.#meanLookup ??= new Uint8Array(1 << PEEK_BITS).map((_, peeked) => this.#meanFrom(peeked))
    return this.#meanLookup
  }

  /** As many steps at once as can be seen whole. */
  stepLookup(): Uint16Array {
    this.#stepLookup ??= new Uint16Array(1 << PEEK_BITS).map((_, peeked) => this.#stepsFrom(peeked))
    return this.#stepLookup
  }

  #meanFrom(peeked: number): number {
    const bits = peeked << (CODE_BITS_MAX - PEEK_BITS)
    return this.find(bits) >>> 8 > PEEK_BITS ? 0 : this.meanBits(bits)
  }

  #stepsFrom(peeked: number): number {
    let bits = 0
    let goesOn = 0
    while (bits < PEEK_BITS && goesOn < COEFFICIENTS) {
      const rest = (peeked << (CODE_BITS_MAX - PEEK_BITS + bits)) & 0xffff
      const step = this.step(rest)
      // The rest of a longer code is not among the bits.
      if (bits + (this.find(rest) >>> 8) > PEEK_BITS || step === NO_STEP) break
      if (bits + bitsOf(step) > LOOK_BITS_MAX) break
      bits += bitsOf(step)
      goesOn += step >> STEP_SHIFT
    }
    return bits === 0 ? NO_STEP : (goesOn << STEP_SHIFT) | bits
  }
}
