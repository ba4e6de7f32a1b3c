// The kind of a shown file: by its bytes, or as requested.
import { gatewayLimits, isCoded } from '@postern/protocol'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { showFile } from '../src/show-file.ts'

const fileOf = (bytes: Uint8Array, size = bytes.length) => ({
  size,
  async *read() {
    for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700)
  },
})
const photo = await sharp({ create: { width: 640, height: 400, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()
const text = Buffer.from('no picture')

test('[MEDIA-4.1] a photo by its bytes, with its size and a preview', async () => {
  const shown = await showFile(fileOf(photo), { name: 'x.bin' })
  expect(shown).toMatchObject({ type: 'image/jpeg', kind: 'photo', width: 640, height: 400 })
  expect(shown.preview).toMatch(/^data:image\/webp;base64,/)
})

test('[MEDIA-4.1] as it was asked', async () => {
  expect(await showFile(fileOf(photo), { name: 'x.jpg', kind: 'file' })).toEqual({ type: 'image/jpeg', kind: 'file' })
  expect(await showFile(fileOf(text), { name: 'x.txt', kind: 'voice' })).toEqual({ type: 'text/plain', kind: 'voice' })
})

test('[MEDIA-4.1] what cannot be shown goes as a file, or is refused where a photo was asked for', async () => {
  const cut = photo.subarray(0, 200)
  const tooLarge = fileOf(photo, gatewayLimits.photoBytesMax + 1)
  for (const file of [fileOf(cut), tooLarge, fileOf(text), fileOf(new Uint8Array(0))]) {
    expect((await showFile(file, { name: 'x' })).kind).toBe('file')
    await expect(showFile(file, { name: 'x', kind: 'photo' })).rejects.toSatisfy(
      error => isCoded(error, 'bad-field') && error.details['field'] === 'kind',
    )
  }
})
