// What a file is shown as: by its bytes, or as somebody asked.
import { gatewayLimits, isCoded } from '@postern/protocol'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { PhotoInPassing, showFile } from '../src/show-file.ts'
import { plain } from './pictures.ts'

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

describe('a photo that was seen in passing', async () => {
  const large = await plain(3000, 1000).jpeg().toBuffer()
  const pieceBytes = 700
  const seen = (bytes: Uint8Array) => {
    const passing = new PhotoInPassing()
    passing.add(bytes)
    return passing
  }
  const shownAndRead = async (bytes: Uint8Array, passing: PhotoInPassing | undefined) => {
    const file = fileOf(bytes)
    let readBytes = 0
    const read = async function* () {
      for await (const piece of file.read()) {
        readBytes += piece.length
        yield piece
      }
    }
    return { shown: await showFile({ ...file, read }, { name: 'x', kind: 'photo', passing }), readBytes }
  }

  test('[MEDIA-5.1] is shown as one that was not, and only its first bytes are read again', async () => {
    const { shown, readBytes } = await shownAndRead(large, seen(large))
    expect(shown).toEqual((await shownAndRead(large, undefined)).shown)
    expect(shown).toMatchObject({ width: 3000, height: 1000 })
    expect(readBytes).toBe(pieceBytes)
  })

  test('[MEDIA-5.2] is read whole where it is no such photo, or not all of it was seen', async () => {
    for (const [bytes, passing] of [
      [photo, seen(photo)],
      [large, seen(photo)],
      [large, seen(Buffer.concat([large, text]))],
      [large, new PhotoInPassing()],
    ] as const) {
      const { shown, readBytes } = await shownAndRead(bytes, passing)
      expect(shown).toEqual((await shownAndRead(bytes, undefined)).shown)
      expect(readBytes).toBe(pieceBytes + bytes.length)
    }
  })
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
