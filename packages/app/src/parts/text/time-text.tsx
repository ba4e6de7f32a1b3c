// A time in words that stay true: it is rendered again as minutes and days pass.
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { dayOf, listTimeOf, timeOf, wholeTimeOf } from '../../i18n/dates.ts'

/** The present minute. */
export const nowMs = signal(Date.now())

const MINUTE_MS = 60_000

/** Until the returned function is called. Called once, by the app's root. */
export function followTime(): () => void {
  const timer = setInterval(() => {
    nowMs.value = Date.now()
  }, MINUTE_MS)
  return () => clearInterval(timer)
}

const forms = {
  clock: (ts: number) => timeOf(ts),
  list: (ts: number) => listTimeOf(ts, nowMs.value),
  day: (ts: number) => dayOf(ts, nowMs.value),
  whole: (ts: number) => wholeTimeOf(ts),
}

export const TimeText = ({ ts, as = 'clock' }: { ts: number; as?: keyof typeof forms }): VNode => (
  <time dateTime={isoOf(ts)} title={wholeTimeOf(ts)}>
    {forms[as](ts)}
  </time>
)

/** A time from another clock may be invalid. */
const isoOf = (ts: number): string => (Math.abs(ts) <= 8.64e15 ? new Date(ts).toISOString() : '')
