// Fingers on the viewer: what a swipe, a pull, a pinch and a double tap do.
import { describe, expect, test } from 'vitest'
import { type GestureEnd, ViewerGesture } from '../src/bodies/viewer-gesture.ts'
import { wholeIn, type ZoomFrame } from '../src/bodies/zoom.ts'

const frame: ZoomFrame = { stage: { width: 400, height: 800 }, picture: { width: 400, height: 300 } }

type Path = [x: number, y: number][]

/** One finger along these points, which it reaches within this time. */
function swipe(gesture: ViewerGesture, path: Path, lastsMs: number, fromMs = 0): GestureEnd {
  const [first = [0, 0], ...rest] = path
  const at = ([x, y]: [number, number]) => ({ x, y })
  gesture.down({ id: 1, at: at(first), ms: fromMs, by: 'touch' })
  for (const point of rest) gesture.move({ id: 1, at: at(point) }, frame)
  return gesture.up({ id: 1, at: at(path.at(-1) ?? first), ms: fromMs + lastsMs, by: 'touch' }, frame)
}

const fresh = (canZoom = true) => new ViewerGesture({ canZoom })
const tap = (gesture: ViewerGesture, x: number, y: number, ms: number) => swipe(gesture, [[x, y]], 50, ms)

describe('one finger', () => {
  test('[APP-12.14] leads on by a long swipe or a quick one', () => {
    expect(
      swipe(
        fresh(),
        [
          [0, 0],
          [-60, 5],
          [-150, 9],
        ],
        900,
      ),
    ).toBe('forward')
    expect(
      swipe(
        fresh(),
        [
          [0, 0],
          [20, 3],
          [45, 9],
        ],
        120,
      ),
    ).toBe('back')
    expect(
      swipe(
        fresh(false),
        [
          [0, 0],
          [-60, 5],
          [-150, 9],
        ],
        900,
      ),
    ).toBe('forward')
  })

  test('[APP-12.16] closes by a swipe down, and not by one up', () => {
    expect(
      swipe(
        fresh(),
        [
          [0, 0],
          [4, 60],
          [8, 200],
        ],
        900,
      ),
    ).toBe('close')
    expect(
      swipe(
        fresh(),
        [
          [0, 0],
          [2, 20],
          [4, 45],
        ],
        120,
      ),
    ).toBe('close')
    expect(
      swipe(
        fresh(),
        [
          [0, 0],
          [4, -60],
          [8, -200],
        ],
        900,
      ),
    ).toBe('none')
  })

  test('[APP-12.16] does nothing by a short slow move, and everything returns to its place', () => {
    const gesture = fresh()
    expect(
      swipe(
        gesture,
        [
          [0, 0],
          [-40, 0],
        ],
        900,
      ),
    ).toBe('none')
    expect(
      swipe(
        gesture,
        [
          [0, 0],
          [0, 90],
        ],
        900,
      ),
    ).toBe('none')
    expect(gesture.drag).toEqual({ x: 0, y: 0 })
  })

  test('[APP-12.16] that the browser takes over does nothing', () => {
    const gesture = fresh()
    gesture.down({ id: 1, at: { x: 0, y: 0 }, ms: 0, by: 'touch' })
    gesture.move({ id: 1, at: { x: -200, y: 0 } }, frame)
    gesture.cancel(1)
    expect(gesture.drag).toEqual({ x: 0, y: 0 })
    expect(gesture.up({ id: 1, at: { x: -200, y: 0 }, ms: 10, by: 'touch' }, frame)).toBe('none')
  })

  test('[APP-12.15] moves an enlarged photo, up to its edges', () => {
    const gesture = fresh()
    gesture.zoomBy(2, { x: 0, y: 0 }, frame)
    expect(
      swipe(
        gesture,
        [
          [0, 0],
          [-50, 40],
        ],
        900,
      ),
    ).toBe('none')
    // 800 × 600 on a stage of 400 × 800: it fits from top to bottom.
    expect(gesture.zoom).toEqual({ scale: 2, x: -50, y: 0 })
    expect(
      swipe(
        gesture,
        [
          [0, 0],
          [-900, 0],
        ],
        100,
      ),
    ).toBe('none')
    expect(gesture.zoom.x).toBe(-200)
  })
})

describe('zooming', () => {
  test('[APP-12.15] a double tap enlarges at its point, and the next one shows all again', () => {
    const gesture = fresh()
    tap(gesture, 100, 0, 0)
    tap(gesture, 104, 2, 200)
    expect(gesture.zoom.scale).toBe(2.5)
    // The tapped point of the photo is where it was: 104 = x + 2.5 · 104.
    expect(gesture.zoom.x).toBeCloseTo(104 - 2.5 * 104)
    tap(gesture, 0, 0, 1000)
    tap(gesture, 0, 0, 1200)
    expect(gesture.zoom).toEqual({ scale: 1, x: 0, y: 0 })
  })

  test('[APP-12.15] two slow taps, and taps far apart, are no double tap', () => {
    const gesture = fresh()
    tap(gesture, 0, 0, 0)
    tap(gesture, 0, 0, 600)
    tap(gesture, 150, 0, 700)
    expect(gesture.zoom.scale).toBe(1)
  })

  test('[APP-12.15] a pinch enlarges between the fingers, and leads nowhere', () => {
    const gesture = fresh()
    gesture.down({ id: 1, at: { x: -50, y: 0 }, ms: 0, by: 'touch' })
    gesture.down({ id: 2, at: { x: 50, y: 0 }, ms: 10, by: 'touch' })
    gesture.move({ id: 1, at: { x: -100, y: 0 } }, frame)
    gesture.move({ id: 2, at: { x: 100, y: 0 } }, frame)
    expect(gesture.zoom.scale).toBeCloseTo(2)
    expect(gesture.up({ id: 1, at: { x: -100, y: 0 }, ms: 40, by: 'touch' }, frame)).toBe('none')
    expect(gesture.up({ id: 2, at: { x: 100, y: 0 }, ms: 50, by: 'touch' }, frame)).toBe('none')
  })

  test('[APP-12.15] is limited on both sides, and a video has none', () => {
    const gesture = fresh()
    gesture.zoomBy(1000, { x: 0, y: 0 }, frame)
    expect(gesture.zoom.scale).toBe(8)
    gesture.zoomBy(0, { x: 0, y: 0 }, frame)
    expect(gesture.zoom).toEqual({ scale: 1, x: 0, y: 0 })
    const video = fresh(false)
    video.zoomBy(3, { x: 0, y: 0 }, frame)
    tap(video, 0, 0, 0)
    tap(video, 0, 0, 100)
    expect(video.zoom.scale).toBe(1)
  })

  test('[APP-12.15] a small picture is not enlarged unasked, and a large one fits', () => {
    expect(wholeIn(frame.stage, { width: 100, height: 50 })).toEqual({ width: 100, height: 50 })
    expect(wholeIn(frame.stage, { width: 800, height: 800 })).toEqual({ width: 400, height: 400 })
  })
})
