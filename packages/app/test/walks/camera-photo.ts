// A photo as a camera leaves it: rotated, with a note of the orientation and the place.
import type { Page } from 'playwright-core'

/** The camera's note of the place: nobody but the sender may ever have it. */
export const PLACE = 'N 59 56 19 E 30 18 50'

/** The picture as stored: its left half is red, its right half blue. */
async function paintJpeg(page: Page, size: { width: number; height: number }): Promise<Buffer> {
  // As one text: a browser that is driven over WebDriver needs a minute for a long list of numbers.
  const dataUrl = await page.evaluate(async ({ width, height }) => {
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('the browser has no canvas')
    context.fillStyle = '#f00'
    context.fillRect(0, 0, width, height)
    context.fillStyle = '#00f'
    context.fillRect(width / 2, 0, width / 2, height)
    const jpeg = await canvas.convertToBlob({ type: 'image/jpeg' })
    const reader = new FileReader()
    const isRead = new Promise(resolve => reader.addEventListener('load', resolve))
    reader.readAsDataURL(jpeg)
    await isRead
    return reader.result as string
  }, size)
  return Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64')
}

/** Upright it is red above and blue below. */
export async function cameraPhoto(page: Page, size: { width: number; height: number }): Promise<Buffer> {
  const jpeg = await paintJpeg(page, size)
  const [start, rest] = [jpeg.subarray(0, 2), jpeg.subarray(2)]
  return Buffer.concat([start, exifSegment(), rest])
}

/** Orientation 6: the camera was turned to the right. The place is in a description, as text. */
function exifSegment(): Buffer {
  const place = Buffer.from(`${PLACE}\0`, 'latin1')
  const tiff = Buffer.alloc(8 + 2 + 2 * 12 + 4)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(2, 8)
  // Tag, kind, count, value or its place: the description first, in ascending order of tags.
  writeEntry(tiff, { at: 10, tag: 0x010e, kind: 2, count: place.length })
  tiff.writeUInt32BE(tiff.length, 10 + 8)
  writeEntry(tiff, { at: 22, tag: 0x0112, kind: 3, count: 1 })
  tiff.writeUInt16BE(6, 22 + 8)
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, place])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

function writeEntry(tiff: Buffer, entry: { at: number; tag: number; kind: number; count: number }): void {
  tiff.writeUInt16BE(entry.tag, entry.at)
  tiff.writeUInt16BE(entry.kind, entry.at + 2)
  tiff.writeUInt32BE(entry.count, entry.at + 4)
}

export type Seen = { width: number; height: number; above: number[]; below: number[] }

/** The size of a picture as the browser reads it, and its colours at the top and at the bottom. */
export async function looksLike(page: Page, bytes: Uint8Array): Promise<Seen> {
  return await page.evaluate(async given => {
    const read = Uint8Array.from(atob(given), letter => letter.codePointAt(0) ?? 0)
    const picture = await createImageBitmap(new Blob([read]), { imageOrientation: 'none' })
    const { width, height } = picture
    const context = new OffscreenCanvas(width, height).getContext('2d')
    if (!context) throw new Error('the browser has no canvas')
    context.drawImage(picture, 0, 0)
    const colourAt = (y: number) => [...context.getImageData(Math.floor(width / 2), Math.floor(y), 1, 1).data]
    return { width, height, above: colourAt(height / 4), below: colourAt((height * 3) / 4) }
  }, Buffer.from(bytes).toString('base64'))
}
