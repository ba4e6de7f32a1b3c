// Limits of an account per UTC day: bytes, new people, blobs. A refusal says when the next day begins.
import { CodedError, DAY_MS } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'

export const dayOf = (nowMs: number): number => Math.floor(nowMs / DAY_MS)

const dayEndMs = (day: number): number => (day + 1) * DAY_MS

/** Counts of another day do not apply. */
export type OfDay = { day: number }

export const ofToday = <Counted extends OfDay>(counted: Counted | undefined, day: number): Counted | undefined =>
  counted?.day === day ? counted : undefined

/** Lower while an account is new. */
export const bytesPerDay = (limits: RelayLimits, ageMs: number): number =>
  ageMs < limits.newAccountMs ? limits.newAccountBytesPerDayMax : limits.bytesPerDayMax

export const bytesRefusal = (limit: number, day: number): CodedError =>
  new CodedError('daily-bytes-limit', { limit, retryAtMs: dayEndMs(day) })

/** `met`: counted earlier today; `more`: would be counted now. */
export function newPeopleRefusal(
  limits: RelayLimits,
  { met, more }: { met: number; more: number },
  day: number,
): CodedError | undefined {
  const limit = limits.newPeoplePerDay
  if (more === 0 || met + more <= limit) return undefined
  return new CodedError('new-people-limit', { limit, retryAtMs: dayEndMs(day) })
}

/** A limit that the operator has lowered during the day leaves none. */
export const newPeopleLeft = ({ newPeoplePerDay }: RelayLimits, met: number): number =>
  Math.max(0, newPeoplePerDay - met)

/** `count` and `bytes` of a day, including the announced blob. */
export function blobsRefusal(
  limits: RelayLimits,
  { count, bytes }: { count: number; bytes: number },
  day: number,
): CodedError | undefined {
  if (count <= limits.blobsPerDayMax && bytes <= limits.blobsPerDayBytesMax) return undefined
  return new CodedError('rate-limited', { what: 'blobs of one day', retryAtMs: dayEndMs(day) })
}
