// Announces new messages to screen readers while the conversation is open: loading older rows is silent.
import { useEffect, useRef } from 'preact/hooks'
import type { HistoryWindow } from '../../contract/objects.ts'
import { say } from '../../parts/toasts/live-region.tsx'
import type { Talk } from '../talk.ts'
import { announcementFor } from './announcements.ts'

export function useAnnouncements(talk: Talk, window: HistoryWindow | undefined): void {
  const lastTs = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (!window) return
    const heard = announcementFor(window, { lastTs: lastTs.current, me: talk.me })
    lastTs.current = heard.lastTs
    if (heard.text !== undefined) say(heard.text)
  }, [window])
}
