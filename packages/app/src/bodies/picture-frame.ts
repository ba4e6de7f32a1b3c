// The frame in which a photo or a video stands in a conversation, before anything of it is here.
import type { FileInfo } from '../contract/objects.ts'

const WIDTH_MAX = 344
const HEIGHT_MAX = 420
const SIDE_MIN = 120

/** What a sender says of a size is not believed beyond what a frame may be. */
export function frameOf({ width, height }: Pick<FileInfo, 'width' | 'height'>): { width: number; height: number } {
  if (!width || !height) return { width: WIDTH_MAX, height: (WIDTH_MAX * 3) / 4 }
  const factor = Math.min(WIDTH_MAX / width, HEIGHT_MAX / height)
  return {
    width: Math.round(Math.min(WIDTH_MAX, Math.max(SIDE_MIN, width * factor))),
    height: Math.round(Math.min(HEIGHT_MAX, Math.max(SIDE_MIN, height * factor))),
  }
}
