// Which messages count as read, and the announcements to a screen reader.
import { ManualClock } from '@postern/testkit/clock'
import { beforeEach, expect, test } from 'vitest'
import { announcementFor } from '../src/conversation/window/announcements.ts'
import { ReadMarks } from '../src/conversation/window/reading.ts'
import { unreadAmong } from '../src/conversation/window/window-state.ts'
import { alice, bob, group, row, said, timingOf } from './conversation-fixtures.ts'

let clock: ManualClock
let marked: string[]
let reading: ReadMarks
const [one, two, three] = [said(bob, 'one'), said(bob, 'two'), said(bob, 'three')]

beforeEach(() => {
  clock = new ManualClock()
  marked = []
  reading = new ReadMarks(timingOf(clock), upTo => marked.push(upTo))
})

test('[APP-10.8] a message is read once it was seen for half a second', () => {
  reading.see([one, two])
  clock.advance(499)
  expect(marked).toEqual([])
  clock.advance(1)
  expect(marked).toEqual([two.id])
})

test('[APP-10.8] who scrolls past has read nothing', () => {
  for (const message of [one, two, three]) {
    reading.see([message])
    clock.advance(400)
  }
  reading.see([])
  clock.advance(10_000)
  expect(marked).toEqual([])
  expect(clock.timerCount).toBe(0)
})

test('[APP-10.8] one that stays while others pass is read by itself, and none twice', () => {
  reading.see([one, two])
  clock.advance(400)
  reading.see([one, three])
  clock.advance(100)
  expect(marked).toEqual([one.id])
  clock.advance(400)
  expect(marked).toEqual([one.id, three.id])
  reading.see([one, two, three])
  clock.advance(1_000)
  expect(marked).toEqual([one.id, three.id])
})

test('[APP-10.8] the machine may sleep: what is due is marked once', () => {
  reading.see([one])
  clock.leap(3_600_000)
  expect(marked).toEqual([one.id])
  expect(clock.timerCount).toBe(0)
})

test('[APP-10.8] only what was not read counts, and nothing of a request', () => {
  const rows = [one, two, three].map(row)
  const seen = [one.id, two.id]
  const firstUnread = { id: two.id, ts: two.ts }
  expect(unreadAmong(rows, group({ firstUnread }), () => seen)).toEqual([two])
  expect(unreadAmong(rows, group(), () => seen)).toEqual([])
  expect(unreadAmong(rows, group({ firstUnread, state: 'request' }), () => seen)).toEqual([])
})

test('[APP-10.9] new messages of others are said, the last three of them, and none that scrolling brought', () => {
  const at = (messages: (typeof one)[], hasNewer = false) => ({ rows: messages.map(row), hasOlder: true, hasNewer })
  const me = alice.id
  const first = announcementFor(at([one]), { lastTs: undefined, me })
  expect(first).toEqual({ lastTs: one.ts })
  expect(announcementFor(at([one, two]), { lastTs: one.ts, me })).toEqual({
    lastTs: two.ts,
    text: '\u2068Bob\u2069: two',
  })
  expect(announcementFor(at([one, two], true), { lastTs: one.ts, me })).toEqual({ lastTs: one.ts })
  expect(announcementFor(at([one, said(alice, 'mine')]), { lastTs: one.ts, me }).text).toBeUndefined()
  const many = ['a', 'b', 'c', 'd', 'e'].map(text => said(bob, text))
  expect(announcementFor(at(many), { lastTs: one.ts, me }).text).toBe(
    ['c', 'd', 'e'].map(text => `\u2068Bob\u2069: ${text}`).join('. '),
  )
})
