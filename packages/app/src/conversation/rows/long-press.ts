// A long press opens the actions, like a right click.
const LONG_PRESS_MS = 450
/** A finger never rests quite still. */
const STILL_WITHIN_PX = 10

type Point = { x: number; y: number }

export type LongPress = {
  onPointerDown(event: PointerEvent): void
  onPointerMove(event: PointerEvent): void
  onPointerUp(): void
  onPointerCancel(): void
}

export function longPress(open: (at: Point) => void): LongPress {
  let begun: { at: Point; timer: ReturnType<typeof setTimeout> } | undefined
  const end = (): void => {
    clearTimeout(begun?.timer)
    begun = undefined
  }
  return {
    onPointerDown: event => {
      end()
      if (event.pointerType !== 'touch' || !event.isPrimary) return
      const at = { x: event.clientX, y: event.clientY }
      const timer = setTimeout(() => {
        end()
        open(at)
      }, LONG_PRESS_MS)
      begun = { at, timer }
    },
    onPointerMove: event => {
      if (begun && Math.hypot(event.clientX - begun.at.x, event.clientY - begun.at.y) > STILL_WITHIN_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
}
