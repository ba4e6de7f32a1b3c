// Says to screen readers what came in while the conversation is open: loading older rows says nothing.
import { useEffect, useRef } from 'preact/hooks'
import type { HistoryWindow } from '../../contract/objects.ts'
import { say } from '../../parts/live-region.tsx'
import type { Talk } from '../talk.ts'
import { heardSince } from './heard.ts'

export function useHeard(talk: Talk, window: HistoryWindow | undefined): void {
  const lastTs = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!window) return
    const heard = heardSince(window, { lastTs: lastTs.current, me: talk.me })
    lastTs.current = heard.lastTs
    if (heard.text !== undefined) say(heard.text)
  }, [window])
}
