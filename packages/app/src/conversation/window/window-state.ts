// The part of a conversation in the document: a window of rows that moves before its edge becomes visible.
import type { ChatDetail, HistoryLine, HistoryWindow, Message } from '../../contract/objects.ts'
import type { HistoryAnchor } from '../../contract/views.ts'

/** Around the visible rows, on the highest screens. */
export const WINDOW_ROWS_MAX = 120
const WINDOW_ROWS_MIN = 80
const LEAST_ROW_PX = 40
const END_ROWS_MIN = 60
const END_STEP_ROWS = 20

/**
 * At the end, where rows come one by one and each is laid out with all others; scrolling up loads the larger window.
 * The half of them, which is always there, fills one and a half screens of the smallest rows: with less nobody could
 * scroll up.
 */
export const endRowsFor = (heightPx: number): number =>
  Math.max(END_ROWS_MIN, Math.ceil((3 * heightPx) / LEAST_ROW_PX / END_STEP_ROWS) * END_STEP_ROWS)

/**
 * Three screens of the smallest rows, like the end. Not more than needed: the rows of another window are drawn in one
 * step, and the page stands still meanwhile.
 */
export const windowRowsFor = (endRows: number): number => Math.min(WINDOW_ROWS_MAX, Math.max(WINDOW_ROWS_MIN, endRows))

export const END: HistoryAnchor = { at: 'end' }

/** The visible part of the window: whether nothing is below and, which is costlier to find, the indexes of its rows. */
export type WindowSight = { isAtEnd: boolean; rows(): SeenSpan }
type SeenSpan = { first: number; last: number }

export const idOf = (row: HistoryLine): string => (row.kind === 'message' ? row.message.id : row.id)
export const tsOf = (row: HistoryLine): number => (row.kind === 'message' ? row.message.ts : row.ts)

/** The same anchor while the visible part is in the middle third: the worker is asked only when the window has to move. */
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
  // A person who reads further up must not lose the rows when a hundred new ones push the window.
  if (anchor.at === 'end') return true
  // A message may be deleted, and with it its position; its time stays.
  if (anchor.message !== undefined) return true
  const third = rows.length / 3
  return (hasOlder && first < third) || (hasNewer && last > rows.length - third)
}

/** Rows with the same content stay the same objects, so that only changed rows are drawn again. */
export function keepSame(before: readonly HistoryLine[], now: readonly HistoryLine[]): HistoryLine[] {
  const known = new Map(before.map(row => [idOf(row), row]))
  return now.map(row => {
    const old = known.get(idOf(row))
    return old && JSON.stringify(old) === JSON.stringify(row) ? old : row
  })
}

/** The visible rows that can become read. A request never sends read receipts. */
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
