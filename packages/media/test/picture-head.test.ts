// The heads of pictures: the sizes that a decoding library reports, and files that nobody can decode.
import { readPictureHead, smallPictureFault } from '@postern/protocol'
import { blackPng, pngThatClaims } from '@postern/testkit/pictures'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { segmentAt } from './jpeg-bytes.ts'
import { plain } from './pictures.ts'

const side = fc.integer({ min: 1, max: 700 })
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

type Make = (width: number, height: number) => Promise<Buffer>
const still: [string, Make][] = [
  ['image/png', (width, height) => plain(width, height).png().toBuffer()],
  ['image/png', (width, height) => plain(width, height).png({ progressive: true, palette: true }).toBuffer()],
  ['image/jpeg', (width, height) => plain(width, height).jpeg().toBuffer()],
  ['image/jpeg', (width, height) => plain(width, height).jpeg({ progressive: true }).withMetadata().toBuffer()],
  ['image/webp', (width, height) => plain(width, height).webp().toBuffer()],
  ['image/webp', (width, height) => plain(width, height).webp({ lossless: true }).toBuffer()],
  ['image/webp', (width, height) => plain(width, height).ensureAlpha(0.5).webp().withMetadata().toBuffer()],
]
const gif: Make = (width, height) => plain(width, height).gif().toBuffer()

describe('a picture', () => {
  test.each(still)('[PROTOCOL-2.6] of the type %s has the size that it was made with', async (type, make) => {
    await fc.assert(
      fc.asyncProperty(side, side, async (width, height) => {
        expect(readPictureHead(await make(width, height))).toEqual({ type, width, height, moves: false })
      }),
      { numRuns: 25 },
    )
  })

  test('[PROTOCOL-2.6] as GIF, an animated WebP and an animated PNG may move', async () => {
    expect(readPictureHead(await gif(300, 20))).toEqual({ type: 'image/gif', width: 300, height: 20, moves: true })
    const colours = await Promise.all(['red', 'blue'].map(colour => plain(40, 30, colour).png().toBuffer()))
    const frames = await sharp(colours, { join: { animated: true } })
      .webp()
      .toBuffer()
    expect(readPictureHead(frames)).toEqual({ type: 'image/webp', width: 40, height: 30, moves: true })
    const png = blackPng(9, 8)
    const animated = Buffer.concat([png.subarray(0, 33), latin1('\0\0\0\x08acTL'), Buffer.alloc(12), png.subarray(33)])
    expect(readPictureHead(animated)).toEqual({ type: 'image/png', width: 9, height: 8, moves: true })
  })

  test('[PROTOCOL-2.6] of gigabytes is read from 50 kB, and nothing is unpacked', () => {
    expect(readPictureHead(blackPng(20_000, 20_000))).toMatchObject({ width: 20_000, height: 20_000 })
    expect(readPictureHead(pngThatClaims(0xffff_ffff, 0xffff_ffff))).toMatchObject({ width: 0xffff_ffff })
  })

  test('[PROTOCOL-2.6] whose first GIF frame is larger than its screen has the size of the frame', async () => {
    const bytes = await gif(10, 10)
    bytes.writeUInt16LE(1, 6)
    bytes.writeUInt16LE(1, 8)
    expect(readPictureHead(bytes)).toMatchObject({ width: 10, height: 10 })
  })

  test('[PROTOCOL-2.6] has its size behind notes of any length, and none when it is not there', async () => {
    const jpeg = await plain(33, 44).jpeg().toBuffer()
    const note = Buffer.concat([latin1('\xff\xe1\xff\xff'), Buffer.alloc(65_533)])
    const noted = Buffer.concat([jpeg.subarray(0, 2), ...Array.from({ length: 40 }, () => note), jpeg.subarray(2)])
    expect(readPictureHead(noted)).toMatchObject({ width: 33, height: 44 })
    expect(readPictureHead(noted.subarray(0, 2_000_000))).toBeUndefined()
    const frame = segmentAt(jpeg, 0xc0)
    const scan = segmentAt(jpeg, 0xda)
    // Bytes between segments are skipped by some decoders; a scan before the frame is skipped by none.
    const odd = [jpeg.subarray(0, frame.body - 4), latin1('\0'), jpeg.subarray(frame.body - 4)]
    expect(readPictureHead(Buffer.concat(odd))).toBeUndefined()
    expect(readPictureHead(Buffer.concat([jpeg.subarray(0, 2), jpeg.subarray(scan.body - 4)]))).toBeUndefined()
  })

  test.each([
    ['nothing', ''],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="99999" height="99999"/>'],
    ['a BMP', `BM${'\0'.repeat(60)}`],
    ['an icon', `\0\0\x01\0\x01\0${'\0'.repeat(60)}`],
    ['an AVIF', '\0\0\0\x20ftypavif\0\0\0\0avifmif1miaf'],
    ['a TIFF', 'II*\0\x08\0\0\0'],
    ['a size of nothing', pngThatClaims(0, 5).toString('latin1')],
  ])('[PROTOCOL-2.6] that is %s has no size here', (_what, bytes) => {
    expect(readPictureHead(latin1(bytes))).toBeUndefined()
  })
})

describe('any bytes', () => {
  const starts = ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', '\xff\xd8\xff', 'RIFF0000WEBPVP8', 'GIF89a', 'GIF87a', '']
  const anything = fc
    .tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }))
    .map(([start, rest]) => Buffer.concat([latin1(start), rest]))

  test('[PROTOCOL-2.6] have a size of whole positive pixels or none', () => {
    fc.assert(
      fc.property(anything, bytes => {
        const head = readPictureHead(bytes)
        if (head) expect(head.width > 0 && head.height > 0 && Number.isInteger(head.width * head.height)).toBe(true)
      }),
      { numRuns: 20_000 },
    )
  })

  test('[PROTOCOL-2.6] that are cut off or changed have the size that a decoder finds, or none', async () => {
    const seeds = await Promise.all([...still.map(([, make]) => make), gif].map(make => make(37, 23)))
    const change = fc.record({
      seed: fc.constantFrom(...seeds),
      flips: fc.array(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 255 })), { maxLength: 3 }),
      keep: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat({ max: 400 })),
    })
    let compared = 0
    await fc.assert(
      fc.asyncProperty(change, async ({ seed, flips, keep }) => {
        const bytes = Buffer.from(seed.subarray(0, keep))
        for (const [at, value] of flips) if (at < bytes.length) bytes[at] = value
        const ours = readPictureHead(bytes)
        if (!ours) return
        const theirs = await sharp(bytes, { limitInputPixels: false })
          .metadata()
          .catch(() => undefined)
        if (!theirs) return
        compared++
        const found = { width: theirs.width, height: theirs.pageHeight ?? theirs.height }
        // Decoders disagree about a GIF whose screen is larger than its frames: the larger counts.
        if (ours.type === 'image/gif') expect(ours.width >= found.width && ours.height >= found.height).toBe(true)
        else expect(ours).toMatchObject(found)
      }),
      { numRuns: 3_000, seed: 24 },
    )
    expect(compared).toBeGreaterThan(500)
  })

  test('[PROTOCOL-2.6] of 8 MB take no longer than reading them', () => {
    const hostile = [
      Buffer.concat([latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), Buffer.alloc(8_000_000)]),
      Buffer.concat([latin1('\xff\xd8'), Buffer.alloc(8_000_000, 0xff)]),
      Buffer.concat([latin1('\xff\xd8'), Buffer.alloc(8_000_000, latin1('\xff\xe1\0\x02'))]),
      Buffer.concat([latin1('GIF89a'), Buffer.alloc(7), Buffer.alloc(8_000_000, latin1('\x21\0\x01\0\0'))]),
    ]
    for (const bytes of hostile) expect(readPictureHead(bytes)).toBeUndefined()
  })
})

test('[PROTOCOL-2.7] what is shown at once is small, still, and of a known format', async () => {
  for (const [, make] of still) expect(smallPictureFault(await make(1024, 1024))).toBeUndefined()
  expect(smallPictureFault(await gif(10, 10))).toMatch(/PNG, JPEG or WebP/)
  expect(smallPictureFault(blackPng(1025, 1))).toMatch(/1024 pixels/)
  expect(smallPictureFault(blackPng(1, 1025))).toMatch(/1024 pixels/)
  expect(smallPictureFault(blackPng(20_000, 20_000))).toMatch(/1024 pixels/)
  expect(smallPictureFault(Buffer.from('RIFF0000WEBPVP8X0000\x02000\0\0\0\0\0\0', 'latin1'))).toMatch(/one frame/)
})
