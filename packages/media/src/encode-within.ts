// WebP of at most a given number of bytes, in the best quality that fits. Metadata is dropped.
import { CodedError } from '@postern/protocol'
import type { Sharp } from 'sharp'

/** A picture of noise at the lowest quality still fits. */
const qualities = [82, 65, 45, 25, 10, 1]

export async function encodeWithin(pixels: Sharp, bytesMax: number): Promise<Uint8Array> {
  for (const quality of qualities) {
    const encoded = await pixels.clone().webp({ quality }).toBuffer()
    if (encoded.length <= bytesMax) return encoded
  }
  throw new CodedError('internal')
}
