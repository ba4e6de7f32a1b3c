// The window over a long conversation: it moves in time, and the visible rows stay in place.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HistoryLine, HistoryWindow, OutgoingMessage } from '../src/contract/objects.ts'
import type { HistoryAnchor } from '../src/contract/views.ts'
import { pendingOf, withPending } from '../src/conversation/pending.ts'
import { nextFocusOf } from '../src/conversation/window/next-focus.ts'
import { openingOf } from '../src/conversation/window/opening.ts'
import { layRows } from '../src/conversation/window/row-layout.ts'
import { type ScrolledList, ScrollKeeper } from '../src/conversation/window/scroll-keeper.ts'
import {
  END,
  endRowsFor,
  idOf,
  keepSame,
  nextAnchor,
  tsOf,
  WINDOW_ROWS_MAX,
  windowRowsFor,
} from '../src/conversation/window/window-state.ts'
import { alice, bob, longTalk, NOON, row, said } from './conversation-fixtures.ts'

const SEEN = 8
const END_ROWS = endRowsFor(SEEN * 40)
const AROUND = windowRowsFor(END_ROWS) / 2

/** As the worker reads it. */
function windowAt(rows: readonly HistoryLine[], anchor: HistoryAnchor): HistoryWindow {
  const at = anchor.at === 'end' ? rows.length : rows.findIndex(one => tsOf(one) >= anchor.at)
  const from = Math.max(0, anchor.at === 'end' ? at - END_ROWS / 2 : at - AROUND)
  const to = Math.min(rows.length, anchor.at === 'end' ? at : at + AROUND)
  return { rows: rows.slice(from, to), hasOlder: from > 0, hasNewer: to < rows.length }
}

/** A reader who sees `SEEN` rows at a time and moves among all of them. */
class Reader {
  anchor: HistoryAnchor = END
  window: HistoryWindow
  asked = 0
  last: number

  rows: readonly HistoryLine[]

  constructor(rows: readonly HistoryLine[]) {
    this.rows = rows
    this.window = windowAt(rows, END)
    this.last = rows.length - 1
  }

  /** Whether all visible rows are in the window. */
  go(last: number): boolean {
    this.last = Math.max(SEEN - 1, Math.min(last, this.rows.length - 1))
    const ids = this.window.rows.map(idOf)
    const indexOf = (at: number) => ids.indexOf(idOf(this.rows[at] ?? this.rows[0]!))
    const seen = { first: indexOf(this.last - SEEN + 1), last: indexOf(this.last) }
    if (seen.first === -1 || seen.last === -1) return false
    const isAtEnd = this.last === this.rows.length - 1
    const anchor = nextAnchor(this.window, this.anchor, { isAtEnd, rows: () => seen })
    if (anchor !== this.anchor) this.asked++
    this.anchor = anchor
    this.window = windowAt(this.rows, anchor)
    return true
  }
}

describe('the window', () => {
  test('[APP-10.1] opens at the message of a link, at the first unread one, or at the end', () => {
    const unread = said(bob, 'new')
    expect(openingOf({})).toEqual({ anchor: END })
    expect(openingOf({ firstUnread: unread })).toMatchObject({
      anchor: { at: unread.ts },
      goal: { jump: { id: unread.id }, block: 'start' },
      unreadFromTs: unread.ts,
    })
    expect(openingOf({ firstUnread: unread }, 'linked')).toMatchObject({
      anchor: { message: 'linked' },
      goal: { jump: { id: 'linked' }, block: 'center' },
      unreadFromTs: unread.ts,
    })
  })

  test('[APP-10.2] is there before its edge is seen, with 120 rows at most, and is asked for seldom', () => {
    const all = longTalk(2_000)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 50, maxLength: 300 }), steps => {
        const reader = new Reader(all)
        for (const step of [...steps, ...steps.map(() => -9)]) {
          expect(reader.go(reader.last + step)).toBe(true)
          expect(reader.window.rows.length).toBeLessThanOrEqual(2 * AROUND)
        }
        const movedRows = steps.reduce((sum, step) => sum + Math.abs(step), 0) + 9 * steps.length
        expect(reader.asked).toBeLessThan(movedRows / 4 + steps.length / 2 + 4)
      }),
      { numRuns: 15 },
    )
  })

  test('[APP-10.2] has three screens of the smallest rows, and never more than 120', () => {
    for (const heightPx of [300, 844, 1080, 1600, 4320]) {
      const rows = windowRowsFor(endRowsFor(heightPx))
      expect(rows).toBeLessThanOrEqual(WINDOW_ROWS_MAX)
      expect(rows).toBeGreaterThanOrEqual(Math.min((3 * heightPx) / 40, WINDOW_ROWS_MAX))
    }
    expect(windowRowsFor(endRowsFor(844))).toBeLessThanOrEqual(80)
  })

  test('[APP-10.2] follows the end while the end is seen', () => {
    const all = longTalk(500)
    const reader = new Reader(all.slice(0, 300))
    expect(reader.go(299)).toBe(true)
    expect(reader.anchor).toBe(END)
    expect(reader.go(290)).toBe(true)
    expect(reader.anchor).not.toBe(END)
    for (let at = 290; at < 300; at += 5) reader.go(at)
    reader.go(299)
    expect(reader.anchor).toEqual(END)
  })

  test('[APP-10.3] keeps its rows for who reads further up, however many new ones come', () => {
    const all = longTalk(1_000)
    const reader = new Reader(all.slice(0, 300))
    reader.go(280)
    reader.rows = all
    reader.window = windowAt(all, reader.anchor)
    expect(reader.go(280)).toBe(true)
  })

  test('[APP-10.4] holds to the time of a message that it was opened at: the message may be deleted', () => {
    const all = longTalk(500)
    const window = windowAt(all, { at: tsOf(all[250]!) })
    const sight = { isAtEnd: false, rows: () => ({ first: AROUND - 4, last: AROUND + 4 }) }
    expect(nextAnchor(window, { at: 0, message: idOf(all[250]!) }, sight)).toEqual({ at: tsOf(all[250]!) })
  })

  test('[APP-10.5] draws only rows that have changed: the others stay the same objects', () => {
    const before = longTalk(3)
    const now = structuredClone(before)
    now[1] = row(said(bob, 'edited', { ...(before[1]?.kind === 'message' && before[1].message), text: 'edited' }))
    const kept = keepSame(before, now)
    expect(kept[0]).toBe(before[0])
    expect(kept[1]).toBe(now[1])
    expect(kept[2]).toBe(before[2])
  })
})

describe('rows that stand together', () => {
  const at = (minutes: number, from = bob) => row(said(from, 'words', { ts: NOON + minutes * 60_000 }))
  const shape = (rows: HistoryLine[], unreadFromTs?: number) =>
    layRows(rows, unreadFromTs).map(day =>
      day.rows.map(one => `${one.isFirstUnread ? '!' : ''}${one.startsGroup ? '<' : '-'}${one.endsGroup ? '>' : '-'}`),
    )

  test('[APP-10.6] are those of one sender within five minutes, on one day, with no notice between', () => {
    const notice: HistoryLine = { kind: 'notice', id: 'n', ts: NOON + 150_000, notice: { code: 'left', from: bob } }
    expect(shape([at(0), at(1), at(4)])).toEqual([['<-', '--', '->']])
    expect(shape([at(0), at(1, alice), at(2)])).toEqual([['<>', '<>', '<>']])
    expect(shape([at(0), at(5)])).toEqual([['<>', '<>']])
    expect(shape([at(2), notice, at(3)])).toEqual([['<>', '<>', '<>']])
    expect(shape([at(11 * 60 + 59), at(12 * 60)])).toEqual([['<>'], ['<>']])
  })

  test('[APP-10.6] the line above what was not read parts a group, and stands though its message is gone', () => {
    expect(shape([at(0), at(1), at(2)], NOON + 60_000)).toEqual([['<>', '!<-', '->']])
    expect(shape([at(0), at(2)], NOON + 60_000)).toEqual([['<>', '!<>']])
    expect(shape([at(0)], NOON + 60_000)).toEqual([['<>']])
  })
})

const outgoing = (key: string): OutgoingMessage => ({
  key,
  chat: 'c',
  madeMs: 0,
  body: { kind: 'text', text: key },
  state: { kind: 'sending' },
})

/** Rows of given heights, without a browser. */
class Shelf implements ScrolledList {
  readonly clientHeight = 500
  #top = 0

  readonly heights: [id: string, height: number][]

  constructor(heights: [id: string, height: number][]) {
    this.heights = heights
  }

  get scrollHeight(): number {
    return this.heights.reduce((sum, [, height]) => sum + height, 0)
  }

  get scrollTop(): number {
    return Math.max(0, Math.min(this.#top, this.scrollHeight - this.clientHeight))
  }

  set scrollTop(px: number) {
    this.#top = px
    this.#top = this.scrollTop
  }

  box() {
    return { top: 0, bottom: this.clientHeight }
  }

  rows() {
    let above = 0
    return this.heights.map(([id, height]) => {
      const start = above
      above += height
      return {
        id,
        box: () => ({ top: start - this.scrollTop, bottom: start + height - this.scrollTop }),
        show: () => {
          this.scrollTop = start
        },
      }
    })
  }
}

describe('what is seen', () => {
  const heights = (count: number): [string, number][] => Array.from({ length: count }, (_, at) => [`r${at}`, 60])
  const topOf = (shelf: Shelf, id: string) =>
    shelf
      .rows()
      .find(one => one.id === id)
      ?.box().top

  test('[APP-10.7] stays where it is when rows above come, go or grow, and when the first one seen is deleted', () => {
    const change = fc.record({ at: fc.nat(50), what: fc.constantFrom('delete', 'grow', 'add'), by: fc.nat(400) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), fc.integer({ min: 1200, max: 2200 }), (changes, top) => {
        const shelf = new Shelf(heights(100))
        const kept = new ScrollKeeper(shelf)
        kept.follows = false
        shelf.scrollTop = top
        kept.note()
        const seen = shelf.rows().filter(one => one.box().top >= 0 && one.box().top < 500)
        const placesBefore = new Map(seen.map(one => [one.id, one.box().top]))
        const last = seen.at(-1)?.id ?? ''
        // All changes are above the last visible row.
        for (const { at, what, by } of changes) {
          if (Math.min(at, 99) >= Number(last.slice(1)) || shelf.heights[at]?.[0] === last) continue
          if (what === 'delete') shelf.heights.splice(at, 1)
          else if (what === 'add') shelf.heights.splice(at, 0, [`new${by}-${shelf.heights.length}`, by])
          else shelf.heights[at]![1] += by
        }
        kept.restore()
        const first = shelf.heights.map(([id]) => id).find(id => placesBefore.has(id)) ?? ''
        expect(topOf(shelf, first)).toBe(placesBefore.get(first))
      }),
      { numRuns: 150 },
    )
  })

  test('[APP-10.7] stays where it was scrolled to, when rows change before that scrolling was told', () => {
    const scrolled = fc.integer({ min: -400, max: 400 })
    fc.assert(
      fc.property(scrolled, fc.nat(300), (px, grownPx) => {
        const shelf = new Shelf(heights(100))
        const kept = new ScrollKeeper(shelf)
        kept.follows = false
        shelf.scrollTop = 2000
        kept.note()
        shelf.scrollTop += px
        const before = topOf(shelf, 'r36')
        shelf.heights[3]![1] += grownPx
        kept.restore()
        expect(topOf(shelf, 'r36')).toBe(before)
      }),
      { numRuns: 50 },
    )
  })

  test('[APP-10.7] stays where it is when so much goes that the list is too short for where it stood', () => {
    const shelf = new Shelf(heights(40))
    const kept = new ScrollKeeper(shelf)
    kept.follows = false
    shelf.scrollTop = 1500
    kept.note()
    shelf.heights.splice(0, 10)
    kept.restore()
    expect(topOf(shelf, 'r25')).toBe(0)
  })

  test('[APP-10.7] is the end, and stays it, when a row grows before its scrolling was told', () => {
    const shelf = new Shelf(heights(20))
    const kept = new ScrollKeeper(shelf)
    kept.toEnd()
    shelf.heights[19]![1] += 100
    expect(kept.isMovedByHand()).toBe(false)
    kept.restore()
    expect(kept.isAtEnd()).toBe(true)
    shelf.scrollTop -= 200
    expect(kept.isMovedByHand()).toBe(true)
  })
})

test('[APP-10.18] the keyboard goes on at the next row when the one it was at is gone', () => {
  const before = ['a', 'b', 'c', 'd']
  expect(nextFocusOf('b', before, new Set(['a', 'c', 'd']))).toBe('c')
  expect(nextFocusOf('d', before, new Set(['a', 'b']))).toBe('b')
  expect(nextFocusOf('b', before, new Set(before))).toBeUndefined()
  expect(nextFocusOf(undefined, before, new Set())).toBeUndefined()
})

test('[APP-10.20] one’s own words stand below the others as soon as they are sent, and once', () => {
  const queued = [outgoing('one'), outgoing('two')]
  expect(withPending(queued, [])).toEqual(queued)
  expect(withPending(queued, [outgoing('two'), outgoing('three')]).map(({ key }) => key)).toEqual([
    'one',
    'two',
    'three',
  ])
  const to = said(bob, 'what?')
  const submission = { kind: 'send' as const, text: 'that', mentions: [], replyTo: to }
  const sent = { key: 'k', chat: 'c', madeMs: 5 }
  const body = { kind: 'text', text: 'that', reply_to: to.id }
  expect(pendingOf(submission, { ...sent, isOnline: true })).toEqual({ ...sent, body, state: { kind: 'sending' } })
  expect(pendingOf(submission, { ...sent, isOnline: false }).state).toEqual({ kind: 'waiting' })
})

test('[APP-10.2] at the end of a conversation one and a half screens are always there, however high the window is', () => {
  for (const heightPx of [300, 760, 1200, 2160, 5000]) {
    const rows = endRowsFor(heightPx)
    expect((rows / 2) * 40).toBeGreaterThanOrEqual(1.5 * heightPx)
    expect(rows).toBeLessThanOrEqual(Math.max(60, (3 * heightPx) / 40 + 20))
  }
})
