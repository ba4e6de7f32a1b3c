// A list of chats with rows of one height: arrows move in it, and only the visible part of a long one is in the document.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ChatLine } from '../contract/objects.ts'
import { isPlainKey } from '../parts/plain-key.ts'
import { chatOfRoute, route } from '../router.ts'
import { ChatRow } from './chat-row.tsx'
import { placeAfterKey } from './list-keys.ts'
import { rowsInDocument } from './list-window.ts'
import './row-list.css'

type RowListProps = { label: string; lines: readonly ChatLine[]; me: string }

const ROW_REM = 4.375
const rowPx = (): number => ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)

/** The visible part of the list in its pane. */
function useSeen(list: { current: HTMLElement | null }) {
  const seen = useSignal({ scrollPx: 0, heightPx: 2_000 })
  useLayoutEffect(() => {
    const pane = list.current?.closest<HTMLElement>('[data-scrolls]')
    if (!pane) return
    const look = (): void => {
      const scrollPx = pane.scrollTop - (list.current?.offsetTop ?? 0)
      seen.value = { scrollPx, heightPx: pane.clientHeight }
    }
    const resized = new ResizeObserver(look)
    resized.observe(pane)
    pane.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      pane.removeEventListener('scroll', look)
    }
  }, [])
  return seen
}

export function RowList({ label, lines, me }: RowListProps): VNode {
  const list = useRef<HTMLDivElement>(null)
  const active = useSignal<string | undefined>(undefined)
  const seen = useSeen(list)
  const { from, to } = rowsInDocument({ ...seen.value, rowPx: rowPx(), count: lines.length })
  const chosen = chatOfRoute(route.value)
  const activeAt = Math.max(
    0,
    lines.findIndex(({ id }) => id === (active.value ?? chosen)),
  )
  const focusRow = (at: number): void => {
    active.value = lines[at]?.id
    const focus = () => list.current?.querySelector<HTMLElement>(`[data-at="${at}"]`)?.focus()
    // The row may enter the document only by becoming the active one.
    requestAnimationFrame(focus)
  }
  return (
    <div
      ref={list}
      class="row-list"
      role="list"
      aria-label={label}
      style={{ '--count': String(lines.length) }}
      onKeyDown={event => {
        const next = isPlainKey(event) ? placeAfterKey(event.key, activeAt, lines.length) : undefined
        if (next === undefined) return
        event.preventDefault()
        focusRow(next)
      }}
      onFocusIn={event => {
        const at = (event.target as HTMLElement).closest<HTMLElement>('[data-at]')?.dataset['at']
        if (at !== undefined) active.value = lines[Number(at)]?.id
      }}
    >
      {lines.map(
        (line, at) =>
          ((at >= from && at < to) || at === activeAt) && (
            <ChatRow
              key={line.id}
              line={line}
              me={me}
              place={{ at, count: lines.length, isActive: at === activeAt, isChosen: line.id === chosen }}
            />
          ),
      )}
    </div>
  )
}
