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

export function Menu({ label, items, at, head, onClose }: MenuProps): VNode {
  const element = useRef<HTMLDivElement>(null)
  const close = () => {
    element.current?.hidePopover()
    onClose()
  }
  useLayoutEffect(() => {
    const menu = element.current
    if (!menu) return
    menu.showPopover()
    placeMenu(menu, at)
    itemsIn(menu)[0]?.focus({ preventScroll: true })
    const leave = standAbove(close)
    return () => {
      leave()
      // Hidden before it leaves the page: otherwise the focus would not return to its previous place.
      menu.hidePopover()
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    if (event.key === 'Tab') onClose()
    if (event.key === 'Tab' || moveFocus(event.currentTarget, event.key)) event.preventDefault()
  }
  return (
    <div
      ref={element}
      class="menu"
      popover="auto"
      role="menu"
      aria-label={label}
      onToggle={event => {
        if (event.newState === 'closed') onClose()
      }}
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
