// A small drawing. It has no words of its own: the button or the line that shows it says what it means.
import type { VNode } from 'preact'
import './icon.css'
import { type IconName, icons } from './icons.ts'

export type { IconName } from './icons.ts'

const turning: ReadonlySet<IconName> = new Set<IconName>([
  'arrow-right',
  'chevron-left',
  'chevron-right',
  'log-out',
  'reply',
  'send-horizontal',
])

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
      <path d={icons[name]} />
    </svg>
  )
}
