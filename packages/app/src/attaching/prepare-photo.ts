// Prepares a photo for sending: upright, no larger than screens show, without the camera's metadata, and with a small preview.
import { contentLimits } from '@postern/protocol'
import { isDecodable } from '../parts/fields/picked-picture.ts'

const SIDE_PIXELS_MAX = 2560
const PREVIEW_SIDE_PIXELS_MAX = 320
const JPEG_QUALITY = 0.86
/** Each is tried until the preview is small enough. */
const PREVIEW_QUALITIES = [0.7, 0.5, 0.3, 0.15]
/** A screenshot stays sharp as PNG, unless it is as large as a photo. */
const PNG_BYTES_MAX = 3_000_000

export type PreparedPhoto = { bytes: Blob; type: string; width: number; height: number; preview?: string }

type Size = { width: number; height: number }

/** In the same proportions, with no side longer than that; never enlarged. */
export function fitWithin({ width, height }: Size, sideMax: number): Size {
  const factor = Math.min(1, sideMax / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

/** Undefined when the browser cannot read the picture, or it has too many pixels: then it is sent as a file. */
export async function preparePhoto(picked: Blob): Promise<PreparedPhoto | undefined> {
  if (!(await isDecodable(picked))) return undefined
  const picture = await createImageBitmap(picked, { imageOrientation: 'from-image' }).catch(() => undefined)
  if (!picture) return undefined
  try {
    const size = fitWithin(picture, SIDE_PIXELS_MAX)
    const bytes = await encodePhoto(draw(picture, size), picked.type)
    const preview = await encodePreview(draw(picture, fitWithin(picture, PREVIEW_SIDE_PIXELS_MAX)))
    return { bytes, type: bytes.type, ...size, ...(preview !== undefined && { preview }) }
  } finally {
    picture.close()
  }
}

function draw(picture: ImageBitmap, { width, height }: Size): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('the browser has no canvas')
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, width, height)
  return canvas
}

async function encodePhoto(canvas: OffscreenCanvas, type: string): Promise<Blob> {
  if (type === 'image/png') {
    const png = await canvas.convertToBlob({ type: 'image/png' })
    if (png.size <= PNG_BYTES_MAX) return png
  }
  return await canvas.convertToBlob({ type: 'image/jpeg', quality: JPEG_QUALITY })
}

async function encodePreview(canvas: OffscreenCanvas): Promise<string | undefined> {
  for (const quality of PREVIEW_QUALITIES) {
    // A browser that cannot write WebP returns a PNG instead, with that type.
    const small = await canvas.convertToBlob({ type: 'image/webp', quality })
    if (small.type === 'image/webp' && small.size <= contentLimits.previewBytesMax) return await dataUrlOf(small)
    const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality })
    if (jpeg.size <= contentLimits.previewBytesMax) return await dataUrlOf(jpeg)
  }
  return undefined
}

async function dataUrlOf(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return `data:${blob.type};base64,${btoa(String.fromCharCode(...bytes))}`
}
