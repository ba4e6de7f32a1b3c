// Which part of a conversation is in the document: a window of rows that moves before its edge can be seen.
import type { ChatDetail, HistoryLine, HistoryWindow, Message } from '../../contract/objects.ts'
import type { HistoryAnchor } from '../../contract/views.ts'

/** Around what is seen. */
export const WINDOW_ROWS = 120
const LEAST_ROW_PX = 40
const END_ROWS_MIN = 60
const END_STEP_ROWS = 20

/**
 * At the end, where rows come one by one and each is laid out with all others; who scrolls up gets the larger window. The
 * half of them, which is always there, fills one and a half screens of the least rows: with less nobody could scroll up.
 */
export const endRowsFor = (heightPx: number): number =>
  Math.max(END_ROWS_MIN, Math.ceil((3 * heightPx) / LEAST_ROW_PX / END_STEP_ROWS) * END_STEP_ROWS)

export const END: HistoryAnchor = { at: 'end' }

/** What of the window is seen: whether nothing lies below, and, which is dearer to find out, the indexes of its rows. */
export type WindowSight = { isAtEnd: boolean; rows(): SeenSpan }
type SeenSpan = { first: number; last: number }

export const idOf = (row: HistoryLine): string => (row.kind === 'message' ? row.message.id : row.id)
export const tsOf = (row: HistoryLine): number => (row.kind === 'message' ? row.message.ts : row.ts)

/** The same anchor while what is seen lies in the middle third: the worker is asked only when the window has to move. */
export function nextAnchor(window: HistoryWindow, anchor: HistoryAnchor, sight: WindowSight): HistoryAnchor {
  if (sight.isAtEnd && !window.hasNewer) return anchor.at === 'end' ? anchor : END
  const seen = sight.rows()
  const middle = window.rows[Math.floor((seen.first + seen.last) / 2)]
  if (!middle || !mustMove(window, anchor, seen)) return anchor
  const at = tsOf(middle)
  return anchor.at === at && anchor.message === undefined ? anchor : { at }
}

function mustMove(
  { rows, hasOlder, hasNewer }: HistoryWindow,
  anchor: HistoryAnchor,
  { first, last }: SeenSpan,
): boolean {
  // Who reads further up must not lose the rows when a hundred new ones push the window on.
  if (anchor.at === 'end') return true
  // A message may be deleted, and with it the place that it names; its time stays.
  if (anchor.message !== undefined) return true
  const third = rows.length / 3
  return (hasOlder && first < third) || (hasNewer && last > rows.length - third)
}

/** Rows that say the same stay the same objects, so that only what changed is drawn again. */
export function keepSame(before: readonly HistoryLine[], now: readonly HistoryLine[]): HistoryLine[] {
  const known = new Map(before.map(row => [idOf(row), row]))
  return now.map(row => {
    const old = known.get(idOf(row))
    return old && JSON.stringify(old) === JSON.stringify(row) ? old : row
  })
}

/** Which of the rows that are seen can become read by that. Of a request nobody is told that it was read. */
export function unreadAmong(
  rows: readonly HistoryLine[],
  { firstUnread, state }: Pick<ChatDetail, 'firstUnread' | 'state'>,
  seen: () => readonly string[],
): Message[] {
  if (!firstUnread || state === 'request') return []
  const ids = new Set(seen())
  return rows.flatMap(row =>
    row.kind === 'message' && row.message.ts >= firstUnread.ts && ids.has(row.message.id) ? [row.message] : [],
  )
}
