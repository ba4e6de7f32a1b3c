// Pictures as people upload them: rotated photos, bombs, noise, broken files.
import { contentLimits } from '@postern/protocol'
import { blackPng } from '@postern/testkit/pictures'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { makeAvatar, makeGroupPicture } from '../src/make-avatar.ts'

/** Red above blue, when upright. */
async function redAboveBlue(width: number, height: number) {
  const half = { width, height: height / 2, channels: 3 as const }
  const blue = await sharp({ create: { ...half, background: '#0000ff' } })
    .png()
    .toBuffer()
  return sharp({ create: { width, height, channels: 3, background: '#ff0000' } }).composite([
    { input: blue, top: height / 2, left: 0 },
  ])
}

async function pixelOf(picture: Uint8Array, at: { left: number; top: number }): Promise<number[]> {
  const data = await sharp(picture)
    .extract({ ...at, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer()
  return [...data].map(value => Math.round(value / 255))
}

test.each([
  [1000, 400, 320],
  [400, 1000, 320],
  [320, 320, 320],
  [100, 60, 60],
  [1, 1, 1],
])('[MEDIA-3.1] %i × %i becomes a square of %i', async (width, height, side) => {
  const picture = await sharp({ create: { width, height, channels: 3, background: '#123456' } })
    .png()
    .toBuffer()
  const { format, ...size } = await sharp(await makeAvatar(picture)).metadata()
  expect([format, size.width, size.height]).toEqual(['webp', side, side])
})

test('[MEDIA-3.1] a photo is turned upright, and everything it tells about its maker is gone', async () => {
  const lying = await (await redAboveBlue(200, 200))
    .withExif({ IFD0: { Make: 'Secret Camera' }, IFD3: { GPSLatitude: '52/1 31/1 0/1' } })
    .withMetadata({ orientation: 3 })
    .jpeg()
    .toBuffer()
  const small = await makeAvatar(lying)
  expect(await pixelOf(small, { left: 100, top: 20 })).toEqual([0, 0, 1])
  expect(await pixelOf(small, { left: 100, top: 180 })).toEqual([1, 0, 0])
  const { exif, icc, xmp, iptc, orientation } = await sharp(small).metadata()
  expect([exif, icc, xmp, iptc, orientation]).toEqual([undefined, undefined, undefined, undefined, undefined])
  expect(Buffer.from(small).includes('Secret')).toBe(false)
})

test('[MEDIA-3.1, MEDIA-3.3] noise is made to fit', async () => {
  const noise = await sharp({
    create: {
      width: 400,
      height: 400,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 128, sigma: 90 },
    },
  })
    .png()
    .toBuffer()
  expect((await makeAvatar(noise)).length).toBeLessThanOrEqual(contentLimits.avatarBytesMax)
  const group = await makeGroupPicture(noise)
  expect(group.length).toBeLessThanOrEqual(contentLimits.groupPictureBytesMax)
  expect(await sharp(group).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 })
})

test('[MEDIA-3.1] transparency stays', async () => {
  const clear = await sharp({ create: { width: 50, height: 50, channels: 4, background: '#ff000000' } })
    .png()
    .toBuffer()
  expect((await sharp(await makeAvatar(clear)).metadata()).hasAlpha).toBe(true)
})

test('[MEDIA-3.2] a bomb is refused before it is unpacked', async () => {
  const bomb = blackPng(20_000, 20_000)
  expect(bomb.length).toBeLessThan(2_000_000)
  await expect(makeAvatar(bomb)).rejects.toThrow('picture: must have at most 100 megapixels.')
})

test('[MEDIA-3.2] a file that is cut off is refused', async () => {
  const whole = await (await redAboveBlue(300, 300)).jpeg().toBuffer()
  await expect(makeAvatar(whole.subarray(0, whole.length / 2))).rejects.toThrow(/^picture: is damaged/)
  await expect(makeAvatar(Buffer.from([0xff, 0xd8, 0xff]))).rejects.toThrow(/^picture: is damaged/)
})
