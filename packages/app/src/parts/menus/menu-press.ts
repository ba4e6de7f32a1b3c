// Opens a menu by a long press, a right click or the keyboard's menu key. Selected words and links inside keep the browser's.
import type { MenuPlace } from './menu-place.ts'

const LONG_PRESS_MS = 450
/** A finger never rests quite still. */
const STILL_WITHIN_PX = 10
/** A button of a mouse. On a Mac, the left one with Ctrl does the same. */
const RIGHT = 2

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
      const { currentTarget, button, ctrlKey, clientX: x, clientY: y } = event
      // Selected words are copied by the browser's own menu.
      if (holdsSelection(currentTarget)) return
      const isByFinger = isOpen || pressing !== undefined
      if (!isByFinger && isOnLinkInside(event)) return
      event.preventDefault()
      // Some browsers report a long press themselves, a moment before or after ours.
      if (isOpen) return
      if (pressing) return openByFinger(currentTarget)
      // For the keyboard, Chromium names the middle of the element: the menu would cover it.
      const isByMouse = button === RIGHT || ctrlKey
      open(isByMouse ? { x, y } : currentTarget)
    },
  }
}

function holdsSelection(element: HTMLElement): boolean {
  const selection = getSelection()
  return selection?.isCollapsed === false && selection.containsNode(element, true)
}

/** The element itself may be a link, too. */
function isOnLinkInside({ target, currentTarget }: On<MouseEvent>): boolean {
  const link = target instanceof Element ? target.closest('a') : null
  return link !== null && link !== currentTarget && currentTarget.contains(link)
}
