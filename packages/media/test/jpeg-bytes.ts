// JPEGs by their bytes, for tests: where a segment stands, and scans with markers that no encoder at hand writes.

/** Numbers below so many, the same in every run: a failure can be looked at again. */
export function numbersFrom(start: number): (below: number) => number {
  let seed = start
  return below => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
    return (seed >>> 8) % below
  }
}

/** Where the body of a segment begins and ends. */
export function segmentAt(photo: Uint8Array, marker: number): { body: number; end: number } {
  for (let at = 2; at + 4 <= photo.length; ) {
    const end = at + 2 + (((photo[at + 2] ?? 0) << 8) | (photo[at + 3] ?? 0))
    if (photo[at + 1] === marker) return { body: at + 4, end }
    at = end
  }
  throw new Error(`there is no ${marker.toString(16)}`)
}

/** Where the counts of its first table of codes stand. */
export const codesAt = (photo: Uint8Array): { counts: number } => ({ counts: segmentAt(photo, 0xc4).body + 1 })

/** In the codes that the standard proposes for grey: differences of a mean, coefficients, the end of a block. */
const means = ['00', '0101', '0100', '01111', '01100']
const coefficients = ['', '001', '0110', '1101010110', '11111111001001', '001001']
const END = '1010'

/** The head of a grey photo in the standard's codes, and behind it another scan: a marker after so many blocks. */
export function withRestarts(grey: Uint8Array, { blocks, every }: { blocks: number; every: number }): Buffer {
  const scan = segmentAt(grey, 0xda)
  const restarts = Buffer.from([0xff, 0xdd, 0, 4, every >> 8, every & 0xff])
  const random = numbersFrom(3)
  const parts: Buffer[] = []
  for (let block = 0; block < blocks; block += every) {
    const inPart = Math.min(every, blocks - block)
    const bits = Array.from({ length: inPart }, () => `${means[random(5)]}${coefficients[random(6)]}${END}`).join('')
    if (block > 0) parts.push(Buffer.from([0xff, 0xd0 + ((block / every - 1) % 8)]))
    parts.push(stuffed(bits))
  }
  const before = grey.subarray(0, scan.body - 4)
  return Buffer.concat([before, restarts, grey.subarray(scan.body - 4, scan.end), ...parts, Buffer.from([0xff, 0xd9])])
}

function stuffed(bits: string): Buffer {
  const bytes = bits.match(/.{1,8}/g) ?? []
  return Buffer.from(
    bytes.flatMap(byte => (byte === '11111111' ? [0xff, 0] : [Number.parseInt(byte.padEnd(8, '1'), 2)])),
  )
}
