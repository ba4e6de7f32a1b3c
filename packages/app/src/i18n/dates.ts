// Times in everyday form, in the language of the app.
import { computed } from '@preact/signals'
import { inLanguages, locale } from './language.ts'

const words = inLanguages({
  en: { today: 'Today', yesterday: 'Yesterday' },
  ru: { today: 'Сегодня', yesterday: 'Вчера' },
})

const format = (options: Intl.DateTimeFormatOptions) => computed(() => new Intl.DateTimeFormat(locale.value, options))

/** `02:13`, and with 12 hours `2:13 AM`. */
const formatWithTime = (options: Intl.DateTimeFormatOptions) =>
  computed(() => {
    const { hour12 } = new Intl.DateTimeFormat(locale.value, { hour: 'numeric' }).resolvedOptions()
    const hour = hour12 === true ? 'numeric' : '2-digit'
    return new Intl.DateTimeFormat(locale.value, { ...options, hour, minute: '2-digit' })
  })

const clock = formatWithTime({})
const weekday = format({ weekday: 'short' })
const day = format({ day: 'numeric', month: 'long' })
const dayAndYear = format({ day: 'numeric', month: 'long', year: 'numeric' })
const short = format({ day: '2-digit', month: '2-digit', year: '2-digit' })
const whole = format({ dateStyle: 'full', timeStyle: 'short' })

const DAY_MS = 86_400_000
const startOfDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)
/** Whole days in between; a day of 23 or 25 hours is one, too. */
const daysAgo = (ts: number, nowMs: number): number => Math.round((startOfDay(nowMs) - startOfDay(ts)) / DAY_MS)

export const isSameDay = (one: number, other: number): boolean => startOfDay(one) === startOfDay(other)

/** `12:04`, or `2:13 AM` where people write it like this. */
export const timeOf = (ts: number): string => clock.value.format(ts)

/** Between two days of a conversation: `Today`, `14 November`. */
export function dayOf(ts: number, nowMs: number): string {
  const ago = daysAgo(ts, nowMs)
  if (ago === 0) return words.value.today
  if (ago === 1) return words.value.yesterday
  return (new Date(ts).getFullYear() === new Date(nowMs).getFullYear() ? day : dayAndYear).value.format(ts)
}

/** In the chat list: `12:04`, `Yesterday`, `Mon`, `03.11.25`. */
export function listTimeOf(ts: number, nowMs: number): string {
  const ago = daysAgo(ts, nowMs)
  if (ago <= 0) return timeOf(ts)
  if (ago === 1) return words.value.yesterday
  return (ago < 7 ? weekday : short).value.format(ts)
}

/** For a title that is read out or hovered over. */
export const wholeTimeOf = (ts: number): string => whole.value.format(ts)

const moment = formatWithTime({ weekday: 'short' })
const farMoment = formatWithTime({ day: 'numeric', month: 'short' })
const WEEK_MS = 7 * DAY_MS

/** A time that is near, ahead or past: `Fri, 18:00`, and beyond a week `3 Dec, 18:00`. */
export const momentOf = (ts: number, nowMs = Date.now()): string =>
  (Math.abs(ts - nowMs) < WEEK_MS ? moment : farMoment).value.format(ts)
