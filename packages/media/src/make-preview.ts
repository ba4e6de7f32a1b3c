// The preview of a photo before it is fetched: a small upright picture without metadata, and the photo's own size.
import { contentLimits, gatewayLimits } from '@postern/protocol'
import { encodeWithin } from './encode-within.ts'
import { decoding } from './picture-library.ts'
import { shrinkPicture } from './shrink-picture.ts'

export type Preview =
  /** A data: URL, and the pixels of the photo itself, upright. */
  { kind: 'made'; url: string; width: number; height: number } | { kind: 'refused'; rule: string }

export const tooManyBytes: Preview = {
  kind: 'refused',
  rule: `must be a photo of at most ${gatewayLimits.photoBytesMax} bytes`,
}

/** Reads the photo when its turn comes: waiting photos are not held in memory. */
export async function makePreview(read: () => Promise<Uint8Array>): Promise<Preview> {
  return await decoding.run(async () => {
    const bytes = await read()
    if (bytes.length > gatewayLimits.photoBytesMax) return tooManyBytes
    const small = await shrinkPicture(bytes, { sidePixelsMax: gatewayLimits.previewSidePixelsMax, shape: 'as-it-is' })
    if (small.kind === 'refused') return small
    const { width, height, pixels } = small
    const preview = await encodeWithin(pixels, contentLimits.previewBytesMax)
    return { kind: 'made', url: `data:image/webp;base64,${Buffer.from(preview).toString('base64')}`, width, height }
  })
}
