// The relay's time: how far it is believed, and the order that holds beyond that.
import { describe, expect, test } from 'vitest'
import { believableTs, type LogPlace, tsAmong } from '../../src/judge/believable-time.ts'

const nowMs = Date.UTC(2030, 0, 1)
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const machine = { nowMs, reachedMs: nowMs }
const FUTURE = Number.MAX_SAFE_INTEGER

describe('[CORE-14.11] the time that the relay claims', () => {
  test.each([
    ['a moment ago', nowMs - 5000, nowMs - 5000],
    ['a little ahead', nowMs + 5 * MINUTE_MS, nowMs + 5 * MINUTE_MS],
    ['weeks ago, in a mailbox', nowMs - 20 * DAY_MS, nowMs - 20 * DAY_MS],
    ['of the far future', FUTURE, nowMs + 2 * MINUTE_MS],
    ['of another age', 0, nowMs - 31 * DAY_MS],
  ])('%s', (_what, claimed, expected) => {
    expect(believableTs(claimed, machine)).toBe(expected)
  })

  test('is compared with where a clock stood that was set back since', () => {
    const setBack = { nowMs: nowMs - 3 * DAY_MS, reachedMs: nowMs }
    expect(believableTs(nowMs + MINUTE_MS, setBack)).toBe(nowMs + MINUTE_MS)
    expect(believableTs(FUTURE, setBack)).toBe(nowMs + 2 * MINUTE_MS)
    expect(believableTs(nowMs - 33 * DAY_MS, setBack)).toBe(nowMs - 33 * DAY_MS)
  })
})

describe('among places that are remembered', () => {
  const place = (seq: number, ts: number): LogPlace => ({ seq, ts })
  const own = place(10, nowMs + 500)

  test('[CORE-21.4] what comes before one’s own leaves room for the rest, whatever its time', () => {
    expect(tsAmong([own], place(7, FUTURE), machine)).toBe(nowMs + 497)
    expect(tsAmong([own], place(9, FUTURE), machine)).toBe(nowMs + 499)
    expect(tsAmong([own], place(9, nowMs - 1), machine)).toBe(nowMs - 1)
  })

  test('[CORE-21.4] what comes behind it stands behind it', () => {
    expect(tsAmong([own], place(12, nowMs - DAY_MS), machine)).toBe(nowMs + 502)
    expect(tsAmong([own, place(20, nowMs + 600)], place(12, FUTURE), machine)).toBe(nowMs + 592)
  })

  test('[CORE-21.4] the same entry has the same time', () => {
    expect(tsAmong([own], place(10, FUTURE), machine)).toBe(own.ts)
  })

  test('[CORE-14.11] numbers that a relay makes up move nothing further than its times could', () => {
    const latest = nowMs + 10 * MINUTE_MS
    expect(tsAmong([own], place(FUTURE, nowMs), machine)).toBe(latest)
    expect(tsAmong([place(1, latest)], place(FUTURE, nowMs), machine)).toBe(latest + 1)
    expect(tsAmong([place(FUTURE, nowMs - DAY_MS)], place(11, nowMs), machine)).toBe(nowMs)
  })
})
