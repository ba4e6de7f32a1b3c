// The layout of the rows in a window: days, groups of one sender, and the line above unread messages.
import type { HistoryLine, Message } from '../../contract/objects.ts'
import { isSameDay } from '../../i18n/dates.ts'
import { foldAlbums } from './albums.ts'
import { idOf, tsOf } from './window-state.ts'

/** Messages of one person within this time of the previous one are in one group. */
const GROUP_GAP_MS = 5 * 60_000

export type LaidRow = {
  id: string
  row: HistoryLine
  /** The others of an album. */
  rest: readonly Message[]
  /** The first of a group has the name and a gap above, the last one the avatar. */
  startsGroup: boolean
  endsGroup: boolean
  /** The line "New messages" is above it. */
  isFirstUnread: boolean
}

export type LaidDay = { ts: number; rows: LaidRow[] }

/** The same object has the same content. */
export const isSameRow = (one: LaidRow, other: LaidRow): boolean =>
  one.row === other.row &&
  one.startsGroup === other.startsGroup &&
  one.endsGroup === other.endsGroup &&
  one.isFirstUnread === other.isFirstUnread &&
  one.rest.length === other.rest.length &&
  one.rest.every((message, at) => message === other.rest[at])

/** `unreadFromTs`: the time of the oldest unread message; that message itself may be gone since. */
export function layRows(rows: readonly HistoryLine[], unreadFromTs?: number): LaidDay[] {
  const firstUnread = unreadFromTs === undefined ? -1 : rows.findIndex(row => tsOf(row) >= unreadFromTs)
  const joins = (index: number): boolean => index !== firstUnread && isOneGroup(rows[index - 1], rows[index])
  const days: LaidDay[] = []
  let index = 0
  for (const { row, rest } of foldAlbums(rows, at => !joins(at))) {
    const ts = tsOf(row)
    const next = index + 1 + rest.length
    let day = days.at(-1)
    if (!day || !isSameDay(day.ts, ts)) {
      day = { ts, rows: [] }
      days.push(day)
    }
    day.rows.push({
      id: idOf(row),
      row,
      rest,
      startsGroup: !joins(index),
      endsGroup: !joins(next),
      isFirstUnread: index === firstUnread,
    })
    index = next
  }
  return days
}

function isOneGroup(above: HistoryLine | undefined, below: HistoryLine | undefined): boolean {
  if (above?.kind !== 'message' || below?.kind !== 'message') return false
  const gapMs = below.message.ts - above.message.ts
  return above.message.from.id === below.message.from.id && gapMs < GROUP_GAP_MS && isSameDay(tsOf(above), tsOf(below))
}
