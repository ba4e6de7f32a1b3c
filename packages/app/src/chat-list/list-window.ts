// Which rows of a long list are in the document: the visible ones and some around them. All of them when they are few.

export type RowRange = { from: number; to: number }

/** Fewer rows cost less than choosing among them. */
const ALL_ROWS_MAX = 200
const ROWS_AROUND = 12

type Seen = { scrollPx: number; heightPx: number; rowPx: number; count: number }

export function rowsInDocument({ scrollPx, heightPx, rowPx, count }: Seen): RowRange {
  if (count <= ALL_ROWS_MAX || rowPx <= 0) return { from: 0, to: count }
  const first = Math.floor(Math.max(0, scrollPx) / rowPx)
  const seen = Math.ceil(heightPx / rowPx)
  // In steps, so that a wheel does not redraw the list for every row that it passes.
  const from = Math.floor(Math.max(0, first - ROWS_AROUND) / ROWS_AROUND) * ROWS_AROUND
  return { from: Math.min(from, count), to: Math.min(count, from + seen + 3 * ROWS_AROUND) }
}
