// When the time that a message still has is looked at again, and how much of it is still to be seen.
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** A second in the last minute, a minute in the last hour: no timer runs for ever, or past what a timer can count. */
export function lookAgainMs(leftMs: number): number {
  if (leftMs <= MINUTE_MS) return SECOND_MS
  return Math.min(leftMs - MINUTE_MS, leftMs <= HOUR_MS ? MINUTE_MS : HOUR_MS)
}

/** Still readable at its very end: whoever reads slowly is not cut off before the time. */
export const visibility = (leftMs: number): number => Math.max(0.45, Math.min(1, leftMs / MINUTE_MS))
