// Which photos wait for the person's consent: decoding them may take more memory than the device has, or they differ
// from the announced size. And which videos a page plays.
import { appLimits, type PictureHead } from '@postern/protocol'
import type { FileInfo } from '../contract/objects.ts'

export type PhotoHold =
  | { why: 'large'; width: number; height: number; memoryBytes: number }
  /** The size differs from the sender's statement. */
  | { why: 'other-size' }
  | { why: 'moves' }
  /** Not a picture whose size can be read: a page never decodes it. */
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

/** A rotated photo has its upright size in the message. */
function isAsStated({ width, height }: FileInfo, head: PictureHead): boolean {
  if (width === undefined || height === undefined) return true
  return (width === head.width && height === head.height) || (width === head.height && height === head.width)
}

const PLAYED_BYTES_MAX = 100_000_000

/** All bytes of a video must fit into the memory of the page. */
export const isPlayable = ({ size }: Pick<FileInfo, 'size'>): boolean => size <= PLAYED_BYTES_MAX
