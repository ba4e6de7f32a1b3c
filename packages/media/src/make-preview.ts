// What is shown of a photo before it is fetched: a small upright picture without metadata, and the photo's own size.
import { contentLimits, gatewayLimits } from '@postern/protocol'
import { encodeWithin } from './encode-within.ts'
import { decoding } from './picture-library.ts'
import { shrinkPicture } from './shrink-picture.ts'

export type Preview =
  /** A data: URL, and the pixels of the photo itself, upright. */
  { kind: 'made'; url: string; width: number; height: number } | { kind: 'refused'; rule: string }

export const tooManyBytes: Preview = {
  kind: 'refused',
  rule: `a photo of at most ${gatewayLimits.photoBytesMax} bytes is required`,
}

/** The bytes, or a way to get them when their turn has come: photos that wait are not kept in memory. */
export type PhotoBytes = Uint8Array | (() => Promise<Uint8Array>)

export async function makePreview(photo: PhotoBytes): Promise<Preview> {
  return await decoding.run(async () => {
    const bytes = typeof photo === 'function' ? await photo() : photo
    if (bytes.length > gatewayLimits.photoBytesMax) return tooManyBytes
    const small = await shrinkPicture(bytes, { sidePixelsMax: gatewayLimits.previewSidePixelsMax, shape: 'as-it-is' })
    if (small.kind === 'refused') return small
    const { width, height, pixels } = small
    const preview = await encodeWithin(pixels, contentLimits.previewBytesMax)
    return { kind: 'made', url: `data:image/webp;base64,${Buffer.from(preview).toString('base64')}`, width, height }
  })
}
