// A small drawing. It has no words of its own: the button or the line that shows it says what it means.
import type { VNode } from 'preact'
import './icon.css'
import { icons } from './icons.ts'
import type { LaterIconName } from './later-icons.ts'

/** Whoever shows a later one imports `later-icons.ts`. */
export type IconName = keyof typeof icons | LaterIconName

const drawings: Partial<Record<IconName, string>> = { ...icons }

export function addIcons(more: Partial<Record<IconName, string>>): void {
  Object.assign(drawings, more)
}

const turning: ReadonlySet<IconName> = new Set<IconName>(['chevron-left', 'chevron-right', 'log-out', 'reply'])

/** `size` in px of a text of normal size: it grows with the text. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }): VNode {
  const edge = `${size / 16}rem`
  return (
    <svg
      class={turning.has(name) ? 'icon icon-turning' : 'icon'}
      viewBox="0 0 24 24"
      width={edge}
      height={edge}
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawings[name]} />
    </svg>
  )
}
