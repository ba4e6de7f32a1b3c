// A small drawing. It has no text: the button or the line that shows it explains it.
import type { VNode } from 'preact'
import './icon.css'
import { drawingOf, type IconName } from './icon-drawings.ts'

export type { IconName } from './icon-drawings.ts'

const turning: ReadonlySet<IconName> = new Set<IconName>(['chevron-left', 'chevron-right', 'log-out', 'reply'])

/** `size` in px at normal text size: it grows with the text. */
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
      <path d={drawingOf(name)} />
    </svg>
  )
}
