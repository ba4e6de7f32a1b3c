// The position of a menu: next to its element, and completely on the screen.

export type MenuPlace = HTMLElement | { x: number; y: number }

type Box = { left: number; right: number; top: number; bottom: number }

const GAP_PX = 4
const MARGIN_PX = 8

const boxOf = (at: MenuPlace): Box =>
  at instanceof HTMLElement ? at.getBoundingClientRect() : { left: at.x, right: at.x, top: at.y, bottom: at.y }

const within = (value: number, max: number): number => Math.max(MARGIN_PX, Math.min(value, max - MARGIN_PX))

/**
 * Aligned with the start of its element, or with its end if there is no space; below, or otherwise above. Only an element
 * that leaves no space on either side is covered.
 */
export function placeMenu(menu: HTMLElement, at: MenuPlace): void {
  const { width, height } = menu.getBoundingClientRect()
  const box = boxOf(at)
  const fromRight = getComputedStyle(menu).direction === 'rtl'
  const start = fromRight ? innerWidth - box.right : box.left
  const end = fromRight ? innerWidth - box.left : box.right
  const inline = start + width + MARGIN_PX <= innerWidth ? start : end - width
  const below = box.bottom + GAP_PX
  const above = box.top - GAP_PX - height
  const block = below + height + MARGIN_PX <= innerHeight || above < MARGIN_PX ? below : above
  menu.style.setProperty('--menu-inline', `${within(inline, innerWidth - width)}px`)
  menu.style.setProperty('--menu-block', `${within(block, innerHeight - height)}px`)
}
