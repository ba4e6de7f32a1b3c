// Opens a menu by a long press, a right click or the keyboard's menu key.
import type { MenuPlace } from './menu-place.ts'

const LONG_PRESS_MS = 450
/** A finger never rests quite still. */
const STILL_WITHIN_PX = 10

type On<Of extends Event> = Of & { currentTarget: HTMLElement }

export type MenuPress = {
  onPointerDown(event: On<PointerEvent>): void
  onPointerMove(event: PointerEvent): void
  onPointerUp(): void
  onPointerCancel(): void
  onTouchEnd(event: TouchEvent): void
  onContextMenu(event: On<MouseEvent>): void
}

type Pressing = { x: number; y: number; timer: ReturnType<typeof setTimeout> }

/** A finger covers what it points at: the menu is then beside the pressed element, like that of the keyboard. */
export function menuPress(open: (at: MenuPlace) => void): MenuPress {
  let pressing: Pressing | undefined
  let isOpen = false
  const end = (): void => {
    clearTimeout(pressing?.timer)
    pressing = undefined
  }
  const openByFinger = (pressed: HTMLElement): void => {
    end()
    isOpen = true
    open(pressed)
  }
  return {
    onPointerDown: ({ pointerType, isPrimary, clientX: x, clientY: y, currentTarget: pressed }) => {
      end()
      isOpen = false
      if (pointerType !== 'touch' || !isPrimary) return
      pressing = { x, y, timer: setTimeout(() => openByFinger(pressed), LONG_PRESS_MS) }
    },
    onPointerMove: ({ clientX, clientY }) => {
      if (pressing && Math.hypot(clientX - pressing.x, clientY - pressing.y) > STILL_WITHIN_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    // The finger that opened the menu does not also press what is under it, nor take the focus.
    onTouchEnd: event => {
      if (isOpen) event.preventDefault()
      isOpen = false
    },
    onContextMenu: event => {
      // Selected words are copied by the browser's own menu.
      if (getSelection()?.isCollapsed === false) return
      event.preventDefault()
      // Some browsers report a long press themselves, a moment before or after ours.
      if (isOpen) return
      if (pressing) return openByFinger(event.currentTarget)
      const { clientX: x, clientY: y, currentTarget } = event
      open(x === 0 && y === 0 ? currentTarget : { x, y })
    },
  }
}
