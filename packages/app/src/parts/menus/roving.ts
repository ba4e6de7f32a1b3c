// Arrow keys among items in lines: Tab reaches one of them, arrows lead to the others.
import { isPlainKey } from '../plain-key.ts'

/** The nearest item above or below; lines follow from the items' positions, so that it works at every width. */
function acrossLines(items: readonly HTMLElement[], at: number, step: 1 | -1): number {
  const from = items[at]
  if (!from) return at
  const { x, y } = from.getBoundingClientRect()
  for (let to = at + step; to >= 0 && to < items.length; to += step) {
    const box = items[to]?.getBoundingClientRect()
    if (box && (box.y - y) * step > 1 && (box.x - x) * step >= -1) return to
  }
  return step > 0 ? items.length - 1 : 0
}

function target(items: readonly HTMLElement[], at: number, key: string): number | undefined {
  const forward = document.dir === 'rtl' ? -1 : 1
  switch (key) {
    case 'ArrowRight':
      return at + forward
    case 'ArrowLeft':
      return at - forward
    case 'ArrowDown':
      return acrossLines(items, at, 1)
    case 'ArrowUp':
      return acrossLines(items, at, -1)
    case 'Home':
      return 0
    case 'End':
      return items.length - 1
    default:
      return undefined
  }
}

/** For the buttons of a box. True when the key was an arrow, and was handled. */
export function moveInGrid(box: HTMLElement, event: KeyboardEvent): boolean {
  if (!isPlainKey(event)) return false
  const items = [...box.querySelectorAll<HTMLElement>('button:not(:disabled)')]
  const at = items.findIndex(item => item === document.activeElement)
  const to = at < 0 ? undefined : target(items, at, event.key)
  if (to === undefined) return false
  event.preventDefault()
  const next = items[Math.max(0, Math.min(to, items.length - 1))]
  for (const item of items) item.tabIndex = item === next ? 0 : -1
  next?.focus()
  return true
}
