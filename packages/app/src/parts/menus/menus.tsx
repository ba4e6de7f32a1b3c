// Menus that are opened from code: `openMenu({ label, items, at: event.currentTarget })`.
import { signal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { Menu, type MenuItem } from './menu.tsx'
import type { MenuPlace } from './menu-place.ts'

export type OpenMenu = { label: string; items: readonly MenuItem[]; at: MenuPlace; head?: ComponentChildren }

const open = signal<(OpenMenu & { id: number }) | undefined>(undefined)
let lastId = 0

export function openMenu(menu: OpenMenu): void {
  open.value = { ...menu, id: ++lastId }
}

export function closeMenu(): void {
  open.value = undefined
}

/** The place of menus: once, at the root of the app. */
export function Menus(): VNode | null {
  const menu = open.value
  if (!menu) return null
  const close = () => {
    if (open.value?.id === menu.id) open.value = undefined
  }
  return <Menu key={menu.id} label={menu.label} items={menu.items} at={menu.at} head={menu.head} onClose={close} />
}
