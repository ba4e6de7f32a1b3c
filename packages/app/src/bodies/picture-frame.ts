// The frame of a photo or a video in a conversation, before anything of it was fetched.
import type { FileInfo } from '../contract/objects.ts'

const WIDTH_MAX = 344
const HEIGHT_MAX = 420
const SIDE_MIN = 120

/** The sender's size is not trusted beyond the limits of a frame. */
export function frameOf({ width, height }: Pick<FileInfo, 'width' | 'height'>): { width: number; height: number } {
  if (!width || !height) return { width: WIDTH_MAX, height: (WIDTH_MAX * 3) / 4 }
  const factor = Math.min(WIDTH_MAX / width, HEIGHT_MAX / height)
  return {
    width: Math.round(Math.min(WIDTH_MAX, Math.max(SIDE_MIN, width * factor))),
    height: Math.round(Math.min(HEIGHT_MAX, Math.max(SIDE_MIN, height * factor))),
  }
}
