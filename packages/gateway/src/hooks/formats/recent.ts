// Measures how long ago something was written, by elapsed time.
import { hookLimits } from '@postern/protocol'

/** Either way: what is remembered by a clock that was days ahead would be of just now for as long as that. */
export const isWithin = (spanMs: number, times: { atMs: number; nowMs: number }): boolean =>
  Math.abs(times.nowMs - times.atMs) < spanMs

/** Within the time in which a pair of senders says the same. */
export const isRecent = (times: { atMs: number; nowMs: number }): boolean =>
  isWithin(hookLimits.duplicateWithinMs, times)
