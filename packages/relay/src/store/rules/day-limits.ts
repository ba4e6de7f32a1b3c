// What an account may do in a UTC day: bytes, new people, blobs. What is past a limit says when the next day begins.
import { CodedError, DAY_MS } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'

export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS)

const dayEndMs = (day: number): number => (day + 1) * DAY_MS

/** What was counted on another day counts no more. */
export type OfDay = { day: number }

export const ofToday = <Counted extends OfDay>(counted: Counted | undefined, day: number): Counted | undefined =>
  counted?.day === day ? counted : undefined

/** Fewer while an account is new. */
export const bytesPerDay = (limits: RelayLimits, ageMs: number): number =>
  ageMs < limits.newAccountMs ? limits.newAccountBytesPerDayMax : limits.bytesPerDayMax

export const bytesRefusal = (limit: number, day: number): CodedError =>
  new CodedError('daily-bytes-limit', { limit, retryAtMs: dayEndMs(day) })

/** `met` today before; `more` would be counted now. */
export function newPeopleRefusal(
  limits: RelayLimits,
  { met, more }: { met: number; more: number },
  day: number,
): CodedError | undefined {
  const limit = limits.newPeoplePerDay
  if (more === 0 || met + more <= limit) return undefined
  return new CodedError('new-people-limit', { limit, retryAtMs: dayEndMs(day) })
}

/** `count` and `bytes` of a day, with the blob that is announced. */
export function blobsRefusal(
  limits: RelayLimits,
  { count, bytes }: { count: number; bytes: number },
  day: number,
): CodedError | undefined {
  if (count <= limits.blobsPerDayMax && bytes <= limits.blobsPerDayBytesMax) return undefined
  return new CodedError('rate-limited', { what: 'blobs of one day', retryAtMs: dayEndMs(day) })
}
