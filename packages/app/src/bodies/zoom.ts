// How much of a picture the viewer shows, and where. All points are relative to the middle of the stage.

export type Point = { x: number; y: number }
type Size = { width: number; height: number }

/** The size of the stage, and that of the whole picture on it. */
export type ZoomFrame = { stage: Size; picture: Size }
export type Zoom = Point & { scale: number }

export const WHOLE: Zoom = { scale: 1, x: 0, y: 0 }
const SCALE_MAX = 8
const CLOSER = 2.5

/** The point under the fingers or the pointer stays where it is. */
export function zoomAt(zoom: Zoom, { factor, at, frame }: { factor: number; at: Point; frame: ZoomFrame }): Zoom {
  const scale = Math.min(SCALE_MAX, Math.max(1, zoom.scale * factor))
  const by = scale / zoom.scale
  return bounded({ scale, x: at.x - (at.x - zoom.x) * by, y: at.y - (at.y - zoom.y) * by }, frame)
}

export const moved = (zoom: Zoom, by: Point, frame: ZoomFrame): Zoom =>
  bounded({ ...zoom, x: zoom.x + by.x, y: zoom.y + by.y }, frame)

/** Closer to a point, or the whole picture again. */
export const toggled = (zoom: Zoom, at: Point, frame: ZoomFrame): Zoom =>
  zoom.scale > 1 ? WHOLE : zoomAt(WHOLE, { factor: CLOSER, at, frame })

/** A picture never leaves a gap at one edge while the other is hidden. */
function bounded({ scale, x, y }: Zoom, { stage, picture }: ZoomFrame): Zoom {
  const within = (value: number, side: 'width' | 'height'): number => {
    const reach = Math.max(0, (scale * picture[side] - stage[side]) / 2)
    return Math.min(reach, Math.max(-reach, value))
  }
  return { scale, x: within(x, 'width'), y: within(y, 'height') }
}

/** The size of a picture that is shown whole, and not larger than it is. */
export function wholeIn(stage: Size, picture: Size): Size {
  const factor = Math.min(1, stage.width / picture.width, stage.height / picture.height)
  return { width: picture.width * factor, height: picture.height * factor }
}
