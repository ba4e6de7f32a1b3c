// Large JPEGs, made thin while they go by: what they look like, and what is left alone.
import { gatewayLimits } from '@postern/protocol'
import sharp, { type JpegOptions, type Sharp } from 'sharp'
import { describe, expect, test } from 'vitest'
import { makePreview } from '../src/make-preview.ts'
import { shrinkPicture } from '../src/shrink-picture.ts'
import { ThinJpeg } from '../src/thinning/thin-jpeg.ts'
import { codesAt, numbersFrom, segmentAt, withRestarts } from './jpeg-bytes.ts'
import { plain, quarters } from './pictures.ts'

function thinned(photo: Uint8Array, pieceBytes = 64 * 1024): Uint8Array | undefined {
  const thin = new ThinJpeg()
  for (let at = 0; at < photo.length; at += pieceBytes) {
    const piece = Uint8Array.from(photo.subarray(at, at + pieceBytes))
    thin.add(piece)
    // It is the caller's again, and holds something else by the time the next one comes.
    piece.fill(0xa5)
  }
  return thin.bytes
}

const scenes = new Map<string, Promise<Buffer>>()

async function scene(width: number, height: number): Promise<Sharp> {
  const size = `${width}x${height}`
  const pixels = scenes.get(size) ?? pixelsOfScene(width, height)
  scenes.set(size, pixels)
  return sharp(await pixels, { raw: { width, height, channels: 3 } })
}

/** Waves of colour under noise: every block is another, and has many coefficients. */
async function pixelsOfScene(width: number, height: number): Promise<Buffer> {
  const small = Buffer.alloc(
    48 * 32 * 3,
    Uint8Array.from({ length: 251 }, (_, at) => (at * at * 7) % 256),
  )
  const waves = await sharp(small, { raw: { width: 48, height: 32, channels: 3 } })
    .resize(width, height, { kernel: 'cubic', fit: 'fill' })
    .raw()
    .toBuffer()
  const random = numbersFrom(1)
  for (let at = 0; at < waves.length; at++) waves[at] = Math.max(0, Math.min(255, (waves[at] ?? 0) + random(32) - 16))
  return waves
}

const jpeg = async (options: JpegOptions = {}, size: [number, number] = [2889, 601]): Promise<Buffer> =>
  await (await scene(...size)).jpeg({ quality: 90, ...options }).toBuffer()

async function pixelsOf(photo: Uint8Array) {
  const small = await shrinkPicture(photo, { sidePixelsMax: 320, shape: 'as-it-is' })
  if (small.kind === 'refused') throw new Error(small.rule)
  const { data, info } = await small.pixels.raw().toBuffer({ resolveWithObject: true })
  return { data, is: [small.width, small.height, info.width, info.height, info.channels] }
}

/** The largest difference of a value, and the mean of all. */
function difference(one: Uint8Array, other: Uint8Array): { most: number; mean: number } {
  const differences = one.map((value, at) => Math.abs(value - (other[at] ?? 0)))
  return {
    most: differences.reduce((most, value) => Math.max(most, value), 0),
    mean: differences.reduce((sum, value) => sum + value, 0) / differences.length,
  }
}

async function expectAlike(photo: Uint8Array, most: number): Promise<void> {
  const thin = thinned(photo)
  if (!thin) throw new Error('it was not made thin')
  expect(thin.length).toBeLessThan(photo.length / 4)
  const [whole, small] = [await pixelsOf(photo), await pixelsOf(thin)]
  expect(small.is).toEqual(whole.is)
  expect(difference(small.data, whole.data).most).toBeLessThanOrEqual(most)
}

describe('what is made thin', () => {
  const exact: Record<string, () => Promise<Uint8Array>> = {
    'in full colour': () => jpeg({ chromaSubsampling: '4:4:4' }),
    'in grey': async () => await (await scene(2889, 601)).toColourspace('b-w').jpeg({ quality: 90 }).toBuffer(),
    'in four inks': async () =>
      await (await scene(2889, 601)).toColourspace('cmyk').jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
    'in the codes of the standard': () => jpeg({ chromaSubsampling: '4:4:4', optimiseCoding: false }),
    'at the best quality': () => jpeg({ chromaSubsampling: '4:4:4', quality: 100 }),
    upright: () => jpeg({ chromaSubsampling: '4:4:4' }, [601, 2889]),
  }
  test.each(Object.keys(exact))('[MEDIA-5.1] a photo %s has the same preview, to the bit', async name => {
    await expectAlike((await exact[name]?.()) ?? new Uint8Array(), 0)
  })

  test('[MEDIA-5.1] a photo with half of its colours has nearly the same', async () => {
    const photo = await jpeg({}, [2889, 1926])
    await expectAlike(photo, 40)
    const thin = thinned(photo) ?? new Uint8Array()
    expect(difference((await pixelsOf(thin)).data, (await pixelsOf(photo)).data).mean).toBeLessThan(4)
  })

  test('[MEDIA-5.1] with markers in between, as cameras write them', async () => {
    const grey = await plain(2888, 800, '#808080').toColourspace('b-w').jpeg({ optimiseCoding: false }).toBuffer()
    for (const every of [1, 7, 361, 36_099, 36_100]) {
      const photo = withRestarts(grey, { blocks: 361 * 100, every })
      const thin = thinned(photo)
      expect([every, thin && thin.length < photo.length]).toEqual([every, true])
      const [whole, small] = [await pixelsOf(photo), await pixelsOf(thin ?? photo)]
      expect(difference(small.data, whole.data).most).toBe(0)
    }
    const swapped = withRestarts(grey, { blocks: 361 * 100, every: 361 })
    swapped.set([0xff, 0xd5], swapped.indexOf(Buffer.from([0xff, 0xd3])))
    expect(thinned(swapped)).toBeUndefined()
  })

  test('[MEDIA-5.1] lying on its side, with a profile of colours: as the whole one', async () => {
    const picture = await (await quarters(3200, 1600)).png().toBuffer()
    const photo = await sharp(picture).withIccProfile('p3').withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const thin = thinned(photo) ?? new Uint8Array()
    const [whole, small] = await Promise.all([makePreview(photo), makePreview(thin)])
    expect(small).toMatchObject({ kind: 'made', width: 1600, height: 3200 })
    expect(whole).toMatchObject({ kind: 'made', width: 1600, height: 3200 })
    const [wholeInside, smallInside] = [await sharp(photo).metadata(), await sharp(thin).metadata()]
    expect([smallInside.icc, smallInside.orientation]).toEqual([wholeInside.icc, 6])
  })

  test('[MEDIA-5.1] in pieces of any length it is the same', async () => {
    const photo = await jpeg({}, [2880, 200])
    const expected = thinned(photo)
    expect(expected).toBeDefined()
    for (const pieceBytes of [1, 2, 7, 1000, 65_537, photo.length]) expect(thinned(photo, pieceBytes)).toEqual(expected)
  })

  test('[MEDIA-5.1] what stands behind its end is no part of it', async () => {
    const photo = await jpeg({}, [2880, 200])
    expect(thinned(Buffer.concat([photo, Buffer.from('the film of a moving picture')]))).toEqual(thinned(photo))
  })
})

describe('what is left alone', () => {
  test('[MEDIA-5.2] small, narrow, progressive, of another kind, cut off', async () => {
    const photo = await jpeg({}, [2880, 200])
    const others = {
      small: await jpeg({}, [2879, 200]),
      narrow: await jpeg({}, [6400, 99]),
      progressive: await jpeg({ progressive: true }, [2880, 200]),
      png: await plain(3000, 300).png().toBuffer(),
      webp: await plain(3000, 300).webp().toBuffer(),
      'without its end': photo.subarray(0, -2),
      'without its last byte': Buffer.concat([photo.subarray(0, -3), photo.subarray(-2)]),
      'with a byte too many': Buffer.concat([photo.subarray(0, -2), Buffer.from([1]), photo.subarray(-2)]),
      'without its scan': Buffer.concat([photo.subarray(0, segmentAt(photo, 0xda).end), photo.subarray(-2)]),
      'a head alone': photo.subarray(0, 300),
      nothing: new Uint8Array(),
    }
    for (const [what, bytes] of Object.entries(others))
      expect([what, thinned(bytes)?.length]).toEqual([what, undefined])
  })

  test('[MEDIA-5.2] a head that lies about tables, sizes, samplings or the scan', async () => {
    const photo = await jpeg({}, [2880, 200])
    const frame = segmentAt(photo, 0xc0)
    const scan = segmentAt(photo, 0xda)
    const lies: Record<string, [number, number]> = {
      'more pixels than there are blocks': [frame.body + 2, 220],
      'fewer pixels': [frame.body + 2, 180],
      'no height': [frame.body + 2, 0],
      'twelve bits': [frame.body, 12],
      'another sampling': [frame.body + 7, 0x11],
      'no sampling': [frame.body + 7, 0x02],
      'more blocks than can be': [frame.body + 7, 0x44],
      'a component that is not there': [scan.body + 1, 9],
      'a table that is not there': [scan.body + 2, 0x33],
      'a part of the coefficients': [scan.body + 8, 5],
      'too many codes of one bit': [codesAt(photo).counts, 3],
      'no frame': [frame.body - 3, 0xfe],
      'a frame in another coding': [frame.body - 3, 0xc9],
    }
    for (const [what, [at, byte]] of Object.entries(lies)) {
      const lying = Uint8Array.from(photo)
      lying[at] = byte
      expect([what, thinned(lying)?.length]).toEqual([what, undefined])
    }
  })

  test('[MEDIA-5.2] whatever bytes are changed: nothing throws, and what is thin is taken and refused as the whole is', async () => {
    const photo = await jpeg({ chromaSubsampling: '4:4:4' }, [2888, 64])
    const random = numbersFrom(7)
    let thinCount = 0
    for (let round = 0; round < 150; round++) {
      const changed = Uint8Array.from(photo)
      const headBytes = segmentAt(photo, 0xda).end
      for (let count = random(3); count >= 0; count--)
        changed[random(round % 2 === 0 ? headBytes : changed.length)] = random(256)
      const thin = thinned(changed, 1 + random(9000))
      if (!thin) continue
      thinCount += 1
      const [whole, small] = await Promise.all([makePreview(changed), makePreview(thin)])
      expect(small).toEqual(whole)
    }
    expect(thinCount).toBeGreaterThan(20)
  })
})

describe('what it may cost', () => {
  test('[MEDIA-5.3] more pixels or bytes than a photo may have', async () => {
    const photo = await jpeg({}, [2880, 200])
    const claims = Uint8Array.from(photo)
    claims.set([0xff, 0xff, 0xff, 0xff], segmentAt(photo, 0xc0).body + 1)
    expect(thinned(claims)).toBeUndefined()
    const thin = new ThinJpeg()
    thin.add(photo)
    expect(thin.bytes).toBeDefined()
    thin.add(new Uint8Array(gatewayLimits.photoBytesMax))
    expect(thin.bytes).toBeUndefined()
  })

  test('[MEDIA-5.3] a head that does not end', async () => {
    const photo = await jpeg({}, [2880, 200])
    const segment = Buffer.concat([Buffer.from([0xff, 0xe5, 0xff, 0xff]), Buffer.alloc(0xfffd)])
    const behind = (count: number) =>
      Buffer.concat([photo.subarray(0, 2), ...Array.from({ length: count }, () => segment), photo.subarray(2)])
    expect(thinned(behind(6))).toBeDefined()
    expect(thinned(behind(9))).toBeUndefined()
  })

  test('[MEDIA-5.3] means that take more than is kept', async () => {
    const flat = async (side: number) =>
      await plain(side, side).jpeg({ chromaSubsampling: '4:4:4', optimiseCoding: false }).toBuffer()
    const thin = thinned(await flat(7000))?.length ?? 0
    expect(thin).toBeGreaterThan(gatewayLimits.photoThinnedBytesMax / 2)
    expect(thin).toBeLessThan(gatewayLimits.photoThinnedBytesMax)
    expect(thinned(await flat(9600))).toBeUndefined()
  })
})
