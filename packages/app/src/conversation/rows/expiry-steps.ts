// When the remaining time of a message is updated, and how visible the message still is.
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** A second in the last minute, a minute in the last hour: no timer runs forever, or longer than a timer can count. */
export function lookAgainMs(leftMs: number): number {
  if (leftMs <= MINUTE_MS) return SECOND_MS
  return Math.min(leftMs - MINUTE_MS, leftMs <= HOUR_MS ? MINUTE_MS : HOUR_MS)
}

/** Still readable at the very end: a slow reader is not cut off early. */
export const visibility = (leftMs: number): number => Math.max(0.45, Math.min(1, leftMs / MINUTE_MS))
