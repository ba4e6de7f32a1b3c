// The window over a conversation, tied to the list that shows it.
import { useSignalEffect } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { HistoryLine, HistoryWindow } from '../../contract/objects.ts'
import { useView } from '../../link/link.ts'
import { useTalk } from '../talk.ts'
import type { OpeningPosition } from './opening.ts'
import { WindowMover } from './window-mover.ts'
import { keepSame, windowRowsFor } from './window-state.ts'

const LIT_MS = 1600

type WindowShown = {
  list: RefObject<HTMLDivElement | null>
  rows: readonly HistoryLine[]
  window: HistoryWindow | undefined
  mover: WindowMover
}

export function useWindow(opening: OpeningPosition): WindowShown {
  const talk = useTalk()
  const mover = useMemo(() => new WindowMover(talk, opening), [talk])
  const list = useRef<HTMLDivElement | null>(null)
  const anchor = mover.anchor.value
  const limit = anchor.at === 'end' ? mover.endRows.value : windowRowsFor(mover.endRows.value)
  const window = useView('history', talk.chat.peek().id, anchor, limit).value
  const before = useRef<HistoryLine[]>([])
  const rows = useMemo(() => keepSame(before.current, window?.rows ?? []), [window])
  before.current = rows
  mover.note()
  useLayoutEffect(() => (list.current ? mover.attach(list.current) : undefined), [mover])
  useLayoutEffect(() => mover.show(window))
  useSignalEffect(() => {
    if (talk.litRow.value === undefined) return undefined
    const timer = setTimeout(() => {
      talk.litRow.value = undefined
    }, LIT_MS)
    return () => clearTimeout(timer)
  })
  return { list, rows, window, mover }
}
