// The announcements of new rows to screen readers: the newest few, in words.
import type { HistoryWindow } from '../../contract/objects.ts'
import { snippetOf } from '../snippet.ts'
import { conversationWords } from '../words.ts'
import { tsOf } from './window-state.ts'

/** More of them would take minutes to read out. */
const SAID_MAX = 3

type Before = { lastTs: number | undefined; me: string }
type Announcement = { lastTs?: number | undefined; text?: string }

/** A row is news only at the end: further up it was loaded because somebody scrolled. */
export function announcementFor({ rows, hasNewer }: HistoryWindow, { lastTs, me }: Before): Announcement {
  const newest = rows.at(-1)
  if (!newest || hasNewer) return { lastTs }
  const seen = { lastTs: Math.max(lastTs ?? 0, tsOf(newest)) }
  if (lastTs === undefined) return seen
  const said = rows
    .filter(row => tsOf(row) > lastTs)
    .flatMap(row => (row.kind === 'message' && row.message.from.id !== me ? [row.message] : []))
    .slice(-SAID_MAX)
    .map(message => conversationWords.value.heard(message.from.name, snippetOf(message)))
  return said.length > 0 ? { ...seen, text: said.join('. ') } : seen
}
