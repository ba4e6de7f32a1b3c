// Which photos wait for the person's word: decoding them may take more memory than the device has, or is not what was announced.
import { appLimits, type PictureHead } from '@postern/protocol'
import type { FileInfo } from '../contract/objects.ts'

export type PhotoHold =
  | { why: 'large'; width: number; height: number; memoryBytes: number }
  /** Of another size than its sender said. */
  | { why: 'other-size' }
  | { why: 'moves' }
  /** No picture whose size can be read: a page never decodes it. */
  | { why: 'unknown' }

const BYTES_PER_PIXEL = 4

export function holdOf(file: FileInfo, head: PictureHead | undefined): PhotoHold | undefined {
  if (!head) return { why: 'unknown' }
  const { width, height } = head
  const pixels = width * height
  const isEmpty = pixels > appLimits.photoFreePixelsMax && pixels > file.size * appLimits.photoPixelsPerByteMax
  if (pixels > appLimits.photoPixelsMax || isEmpty)
    return { why: 'large', width, height, memoryBytes: pixels * BYTES_PER_PIXEL }
  if (!isAsStated(file, head)) return { why: 'other-size' }
  return head.moves ? { why: 'moves' } : undefined
}

/** A photo that lies on its side is stated upright. */
function isAsStated({ width, height }: FileInfo, head: PictureHead): boolean {
  if (width === undefined || height === undefined) return true
  return (width === head.width && height === head.height) || (width === head.height && height === head.width)
}
