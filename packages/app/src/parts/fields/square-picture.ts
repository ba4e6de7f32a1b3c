// Makes a chosen picture small and square. Redrawn, it contains only what is visible: no place, no camera, no time.
import { isDecodable } from './picked-picture.ts'

const EDGE_PX = 256
const QUALITIES = [0.9, 0.8, 0.7, 0.55, 0.4, 0.25, 0.1] as const

/** The middle of it. */
export function cropOf({ width, height }: { width: number; height: number }): { x: number; y: number; edge: number } {
  const edge = Math.min(width, height)
  return { x: (width - edge) / 2, y: (height - edge) / 2, edge }
}

/** Undefined when the browser cannot read the file as a picture, or it has too many pixels. */
export async function makeSquare(file: Blob, bytesMax: number): Promise<Blob | undefined> {
  if (!(await isDecodable(file))) return undefined
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  try {
    return await encode(draw(picture), bytesMax)
  } finally {
    picture.close()
  }
}

function draw(picture: ImageBitmap): OffscreenCanvas {
  const canvas = new OffscreenCanvas(EDGE_PX, EDGE_PX)
  const context = canvas.getContext('2d')
  if (!context) return canvas
  const { x, y, edge } = cropOf(picture)
  context.imageSmoothingQuality = 'high'
  // JPEG has no transparency: without a ground it would be black.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, EDGE_PX, EDGE_PX)
  context.drawImage(picture, x, y, edge, edge, 0, 0, EDGE_PX, EDGE_PX)
  return canvas
}

/** In the best quality within its limit. */
async function encode(canvas: OffscreenCanvas, bytesMax: number): Promise<Blob | undefined> {
  for (const quality of QUALITIES) {
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality })
    if (blob.size <= bytesMax) return blob
  }
  return undefined
}
