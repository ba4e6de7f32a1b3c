// A menu of actions. Arrows move in it, Esc and a click elsewhere close it.
import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { standAbove } from '../../router.ts'
import { Icon, type IconName } from '../icons/icon.tsx'
import './menu.css'
import { type MenuPlace, placeMenu } from './menu-place.ts'

export type MenuItem = {
  word: string
  icon?: IconName
  danger?: boolean
  disabled?: boolean
  run: () => void
}

type MenuProps = {
  label: string
  items: readonly MenuItem[]
  /** Next to an element, or at a pointer position. */
  at: MenuPlace
  /** Above the items: quick reactions. */
  head?: ComponentChildren
  onClose: () => void
}

const itemsIn = (menu: HTMLElement): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>('button:not(:disabled)')]

function moveFocus(menu: HTMLElement, key: string): boolean {
  const items = itemsIn(menu)
  const at = items.findIndex(item => item === document.activeElement)
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 }[key]
  if (to === undefined) return false
  items.at(to % items.length)?.focus()
  return true
}

/** Returns a function to call when the menu is gone. */
function closeFromOutside(menu: HTMLElement, close: () => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  // Not by the browser, which also closes a menu when the finger whose long press opened it is lifted.
  const onPress = ({ target }: Event) => {
    if (!(target instanceof Node && menu.contains(target))) close()
  }
  // A field that had the focus may take it back when the finger of a long press is lifted.
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    close()
  }
  addEventListener('pointerdown', onPress, { capture: true, signal })
  addEventListener('keydown', onKey, { capture: true, signal })
  return () => ended.abort()
}

export function Menu({ label, items, at, head, onClose }: MenuProps): VNode {
  const element = useRef<HTMLDivElement>(null)
  const before = useRef<Element | null>(null)
  /** The focus goes back only if nothing else has taken it. */
  const hide = () => {
    const menu = element.current
    if (!menu?.matches(':popover-open')) return
    const hadFocus = menu.contains(document.activeElement)
    menu.hidePopover()
    if (hadFocus && before.current instanceof HTMLElement) before.current.focus({ preventScroll: true })
  }
  const close = () => {
    hide()
    onClose()
  }
  useLayoutEffect(() => {
    const menu = element.current
    if (!menu) return
    before.current = document.activeElement
    menu.showPopover()
    const place = (): void => placeMenu(menu, at)
    place()
    // A phone that is turned, or whose keyboard goes, would leave it out of the window with the focus in it.
    addEventListener('resize', place)
    itemsIn(menu)[0]?.focus({ preventScroll: true })
    const leave = standAbove(close)
    const unfollow = closeFromOutside(menu, close)
    return () => {
      leave()
      unfollow()
      removeEventListener('resize', place)
      // Hidden before it leaves the page: otherwise the focus would not return to its previous place.
      hide()
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const isLeft = event.key === 'Tab'
    if (isLeft) close()
    if (isLeft || moveFocus(event.currentTarget, event.key)) event.preventDefault()
  }
  return (
    <div
      ref={element}
      class="menu"
      popover="manual"
      role="menu"
      aria-label={label}
      onKeyDown={onKeyDown}
      onContextMenu={event => event.preventDefault()}
    >
      {head && <div class="menu-head">{head}</div>}
      {items.map(item => (
        <MenuRow key={item.word} item={item} close={close} />
      ))}
    </div>
  )
}

/** Closed first, so that the focus has returned before the action moves it elsewhere. */
const MenuRow = ({ item, close }: { item: MenuItem; close: () => void }): VNode => (
  <button
    class={item.danger ? 'menu-item menu-item-danger' : 'menu-item'}
    type="button"
    role="menuitem"
    tabIndex={-1}
    disabled={item.disabled ?? false}
    onClick={() => {
      close()
      item.run()
    }}
  >
    {item.icon && <Icon name={item.icon} />}
    <span dir="auto">{item.word}</span>
  </button>
)
