// Photos as phones, cameras and attackers make them.
import { contentLimits, gatewayLimits } from '@postern/protocol'
import { pngThatClaims } from '@postern/testkit/pictures'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, test } from 'vitest'
import { makePreview } from '../src/make-preview.ts'
import { plain, quarters } from './pictures.ts'

const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 90 } },
  })

async function made(photo: Uint8Array) {
  const preview = await makePreview(async () => photo)
  if (preview.kind !== 'made') throw new Error(preview.rule)
  expect(preview.url).toMatch(/^data:image\/(jpeg|webp);base64,/)
  expect(preview.url.length).toBeLessThanOrEqual(contentLimits.previewUrlUnitsMax)
  const bytes = Buffer.from(preview.url.split(',')[1] ?? '', 'base64')
  expect(bytes.length).toBeLessThanOrEqual(contentLimits.previewBytesMax)
  return { ...preview, bytes, small: await sharp(bytes).metadata() }
}

/** The colours of the four quarters, each as three bits. */
async function cornersOf(picture: Uint8Array): Promise<string[]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => {
    const start = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 3
    return [...data.subarray(start, start + 3)].map(value => (value > 127 ? 1 : 0)).join('')
  }
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)]
}
const upright = ['100', '010', '001', '111']

describe('size', () => {
  test.each([
    [4000, 1000, 320, 80],
    [1000, 4000, 80, 320],
    [320, 320, 320, 320],
    [40, 20, 40, 20],
    [1, 1, 1, 1],
    [20_000, 2, 320, 1],
  ])('[MEDIA-2.1] %i × %i becomes %i × %i', async (width, height, smallWidth, smallHeight) => {
    const photo = await made(await plain(width, height).png().toBuffer())
    expect([photo.width, photo.height]).toEqual([width, height])
    expect([photo.small.width, photo.small.height]).toEqual([smallWidth, smallHeight])
  })

  test('[MEDIA-2.1] noise is made to fit', async () => {
    await made(await noise(1000, 1000).png().toBuffer())
  })
})

describe('orientation', () => {
  /** How each orientation is stored: the picture that looks right after it was rotated. */
  const lying: Record<number, (picture: Sharp) => Sharp> = {
    1: picture => picture,
    2: picture => picture.flop(),
    3: picture => picture.rotate(180),
    4: picture => picture.flip(),
    5: picture => picture.rotate(270).flop(),
    6: picture => picture.rotate(270),
    7: picture => picture.rotate(90).flop(),
    8: picture => picture.rotate(90),
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    '[MEDIA-2.2] %i is turned upright, and its metadata is gone',
    async orientation => {
      const picture = await (await quarters(800, 400)).png().toBuffer()
      const laid = await lying[orientation]?.(sharp(picture)).png().toBuffer()
      const photo = await sharp(laid)
        .withExif({ IFD0: { Make: 'Secret Camera' } })
        .withMetadata({ orientation })
        .jpeg({ chromaSubsampling: '4:4:4' })
        .toBuffer()
      expect((await sharp(photo).metadata()).orientation).toBe(orientation)
      expect(await cornersOf(await sharp(photo).autoOrient().png().toBuffer())).toEqual(upright)
      const { bytes, small, ...preview } = await made(photo)
      expect([preview.width, preview.height, small.width, small.height]).toEqual([800, 400, 320, 160])
      expect(await cornersOf(bytes)).toEqual(upright)
      expect([small.exif, small.icc, small.xmp, small.iptc, small.orientation]).toEqual(Array(5).fill(undefined))
      expect(bytes.includes('Secret')).toBe(false)
    },
  )
})

describe('colours', () => {
  const kinds: Record<string, () => Promise<Sharp>> = {
    'a 16-bit PNG': async () => (await quarters(600, 600)).toColourspace('rgb16').png(),
    'a CMYK JPEG': async () => (await quarters(600, 600)).toColourspace('cmyk').jpeg({ chromaSubsampling: '4:4:4' }),
    'a palette PNG': async () => (await quarters(600, 600)).png({ palette: true }),
    'an interlaced PNG': async () => (await quarters(600, 600)).png({ progressive: true }),
    'a progressive JPEG': async () => (await quarters(600, 600)).jpeg({ progressive: true, quality: 100 }),
    'a lossless WebP': async () => (await quarters(600, 600)).webp({ lossless: true }),
    'a picture in Display P3': async () => (await quarters(600, 600)).withIccProfile('p3').png(),
  }
  test.each(Object.keys(kinds))('[MEDIA-2.3] %s', async kind => {
    const photo = (await (await kinds[kind]?.())?.toBuffer()) ?? Buffer.alloc(0)
    const { bytes, small } = await made(photo)
    expect(await cornersOf(bytes)).toEqual(await cornersOf(await sharp(photo).toColourspace('srgb').png().toBuffer()))
    expect([small.space, small.depth]).toEqual(['srgb', 'uchar'])
  })

  test('[MEDIA-2.3] grey stays grey, and what is transparent stays so', async () => {
    const grey = await made(await plain(600, 300, '#808080').greyscale().jpeg().toBuffer())
    expect(Math.round(((await sharp(grey.bytes).stats()).channels[0]?.mean ?? 0) / 8)).toBe(16)
    const clear = sharp({ create: { width: 500, height: 500, channels: 4, background: '#ff000000' } })
    expect((await made(await clear.png().toBuffer())).small.hasAlpha).toBe(true)
  })

  test('[MEDIA-2.3] of an animated WebP the first frame is shown', async () => {
    const frames = await Promise.all(['#ff0000', '#0000ff'].map(colour => plain(100, 100, colour).png().toBuffer()))
    const animated = await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer()
    expect((await sharp(animated).metadata()).pages).toBe(2)
    const { bytes, small, height } = await made(animated)
    expect([small.pages ?? 1, height]).toEqual([1, 100])
    expect(await cornersOf(bytes)).toEqual(['100', '100', '100', '100'])
  })
})

describe('what is refused', () => {
  const refused = async (photo: Uint8Array) => {
    const preview = await makePreview(async () => photo)
    return preview.kind === 'refused' ? preview.rule : 'it was made'
  }

  test('[MEDIA-2.4] a PNG that claims 60,000 × 60,000 pixels', async () => {
    expect(await refused(pngThatClaims(60_000, 60_000))).toBe('must have at most 100 megapixels')
    expect(await refused(pngThatClaims(2 ** 31 - 1, 2 ** 31 - 1))).not.toBe('it was made')
    expect(await refused(pngThatClaims(200_000, 1))).toMatch(/^must be at most 100000 pixels/)
    expect(await refused(pngThatClaims(0, 10))).toMatch(/damaged/)
  })

  test('[MEDIA-2.4] a WebP, and a progressive JPEG, of more than 40 megapixels', async () => {
    for (const photo of [plain(8000, 5001).webp({ effort: 0 }), plain(8000, 5001).jpeg({ progressive: true })])
      expect(await refused(await photo.toBuffer())).toMatch(/^must have at most 40 megapixels in a WebP/)
    await made(await plain(8000, 5001).jpeg().toBuffer())
  })

  test('[MEDIA-2.5] half a JPEG, half a PNG, half a WebP', async () => {
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const whole = await noise(400, 400).toFormat(format).toBuffer()
      expect(await refused(whole.subarray(0, whole.length / 2))).toMatch(/damaged/)
      expect(await refused(whole.subarray(0, 16))).toMatch(/damaged/)
    }
  })

  test('[MEDIA-2.5] what is no photo at all', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    const gif = await plain(9, 9).gif().toBuffer()
    const tiff = await plain(9, 9).tiff().toBuffer()
    for (const photo of [svg, gif, tiff, Buffer.alloc(0), Buffer.from('\x89PNG')])
      expect(await refused(photo)).toBe('must be a JPEG, PNG or WebP file')
    const large = Buffer.alloc(gatewayLimits.photoBytesMax + 1)
    expect(await refused(large)).toBe(`must be a photo of at most ${gatewayLimits.photoBytesMax} bytes`)
  })
})

test('[MEDIA-2.6] photos wait for each other, and are only read when their turn has come', async () => {
  const photo = await plain(500, 500).jpeg().toBuffer()
  const first = Promise.withResolvers<Uint8Array>()
  let readCount = 0
  const take = async (bytes: Promise<Uint8Array>) => {
    const preview = await makePreview(async () => {
      readCount++
      return await bytes
    })
    return preview.kind
  }
  const taking = [first.promise, Promise.resolve(Buffer.alloc(9)), Promise.resolve(photo)].map(take)
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
  expect(readCount).toBe(1)
  first.resolve(photo)
  expect(await Promise.all(taking)).toEqual(['made', 'refused', 'made'])
  await expect(take(Promise.reject(new Error('the disk is gone')))).rejects.toThrow('the disk is gone')
  expect(await take(Promise.resolve(photo))).toBe('made')
})
