// Fingers on the viewer: a swipe leads on, a pull down closes it, a pinch and a double tap zoom. From values alone.
import { moved, type Point, toggled, WHOLE, type Zoom, type ZoomFrame, zoomAt } from './zoom.ts'

/** The outcome of a gesture. `forward` and `back` are directions on the screen, from left to right. */
export type GestureEnd = 'forward' | 'back' | 'close' | 'none'

/** `mouse`: the browser itself knows a double click. */
type Finger = { id: number; at: Point; ms: number; by: 'touch' | 'mouse' }
type Move = Pick<Finger, 'id' | 'at'>
type Swipe = 'undecided' | 'across' | 'down' | 'none'

/** A finger that moves less has tapped. */
const TAP_PX = 10
const DOUBLE_TAP_MS = 300
const DOUBLE_TAP_PX = 40
/** Either a quick short swipe or a long one counts. */
const FLICK_MS = 250
const FLICK_PX = 30
const ACROSS_SHARE = 0.25
const DOWN_SHARE = 0.18

export class ViewerGesture {
  zoom: Zoom = WHOLE
  /** How far the whole stage is dragged. */
  drag: Point = { x: 0, y: 0 }
  readonly #canZoom: boolean
  readonly #fingers = new Map<number, Point>()
  #start: Finger | undefined
  #swipe: Swipe = 'none'
  #tap: Finger | undefined

  constructor({ canZoom }: { canZoom: boolean }) {
    this.#canZoom = canZoom
  }

  /** A finger has moved far enough to be no tap: the stage takes it from the elements below. */
  get isDragging(): boolean {
    return this.#fingers.size > 0 && this.#swipe !== 'undecided'
  }

  down(finger: Finger): void {
    this.#fingers.set(finger.id, finger.at)
    const isFirst = this.#fingers.size === 1
    this.#start = isFirst ? finger : undefined
    this.#swipe = isFirst ? 'undecided' : 'none'
    this.drag = { x: 0, y: 0 }
  }

  move({ id, at }: Move, frame: ZoomFrame): void {
    const before = this.#fingers.get(id)
    if (!before) return
    const [one, other] = [...this.#fingers.keys()]
    if (one !== undefined && other !== undefined) this.#pinch({ id, at }, { one, other, frame })
    else if (this.zoom.scale > 1) this.#pan(before, at, frame)
    else this.#swipeTo(at)
    this.#fingers.set(id, at)
  }

  up(finger: Finger, frame: ZoomFrame): GestureEnd {
    const start = this.#start
    const end = start?.id === finger.id ? this.#endOf(start, finger, frame) : 'none'
    this.cancel(finger.id)
    return end
  }

  /** The browser has taken the finger over. */
  cancel(id: number): void {
    this.#fingers.delete(id)
    this.#start = undefined
    this.#swipe = 'none'
    this.drag = { x: 0, y: 0 }
  }

  zoomBy(factor: number, at: Point, frame: ZoomFrame): void {
    if (this.#canZoom) this.zoom = zoomAt(this.zoom, { factor, at, frame })
  }

  /** Closer, or the whole picture again. */
  toggle(at: Point, frame: ZoomFrame): void {
    if (this.#canZoom) this.zoom = toggled(this.zoom, at, frame)
  }

  #pan(before: Point, at: Point, frame: ZoomFrame): void {
    if (this.#start && distance(this.#start.at, at) > TAP_PX) this.#swipe = 'none'
    this.zoom = moved(this.zoom, minus(at, before), frame)
  }

  #pinch({ id, at }: Move, { one, other, frame }: { one: number; other: number; frame: ZoomFrame }): void {
    const held = this.#fingers.get(id === one ? other : one)
    const before = this.#fingers.get(id)
    if (!held || !before) return
    const factor = distance(held, at) / Math.max(1, distance(held, before))
    this.zoomBy(factor, middle(held, at), frame)
    if (this.#canZoom) this.zoom = moved(this.zoom, minus(middle(held, at), middle(held, before)), frame)
  }

  #swipeTo(at: Point): void {
    if (!this.#start) return
    const by = minus(at, this.#start.at)
    if (this.#swipe === 'undecided' && Math.hypot(by.x, by.y) > TAP_PX) this.#swipe = swipeOf(by)
    if (this.#swipe === 'across') this.drag = { x: by.x, y: 0 }
    if (this.#swipe === 'down') this.drag = { x: 0, y: Math.max(0, by.y) }
  }

  #endOf(start: Finger, finger: Finger, frame: ZoomFrame): GestureEnd {
    if (this.#swipe === 'undecided') {
      if (finger.by === 'touch') this.#tapAt(finger, frame)
      return 'none'
    }
    const isFar = (px: number, sidePx: number, share: number): boolean =>
      Math.abs(px) > sidePx * share || (Math.abs(px) > FLICK_PX && finger.ms - start.ms < FLICK_MS)
    if (this.#swipe === 'down' && isFar(this.drag.y, frame.stage.height, DOWN_SHARE)) return 'close'
    if (this.#swipe === 'across' && isFar(this.drag.x, frame.stage.width, ACROSS_SHARE))
      return this.drag.x < 0 ? 'forward' : 'back'
    return 'none'
  }

  #tapAt(finger: Finger, frame: ZoomFrame): void {
    const first = this.#tap
    const isDouble = first && finger.ms - first.ms < DOUBLE_TAP_MS && distance(first.at, finger.at) < DOUBLE_TAP_PX
    this.#tap = isDouble ? undefined : finger
    if (isDouble) this.toggle(finger.at, frame)
  }
}

const swipeOf = ({ x, y }: Point): Swipe => {
  if (Math.abs(x) > Math.abs(y)) return 'across'
  return y > 0 ? 'down' : 'none'
}
const minus = (one: Point, other: Point): Point => ({ x: one.x - other.x, y: one.y - other.y })
const middle = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 })
const distance = (one: Point, other: Point): number => Math.hypot(one.x - other.x, one.y - other.y)
