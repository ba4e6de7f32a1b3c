// Measures how long ago something was written, by elapsed time.
import { hookLimits } from '@postern/protocol'

/** In both directions: a time stored by a clock that was days ahead would otherwise count as recent for days. */
export const isWithin = (spanMs: number, times: { atMs: number; nowMs: number }): boolean =>
  Math.abs(times.nowMs - times.atMs) < spanMs

/** Within the time in which a pair of senders reports the same. */
export const isRecent = (times: { atMs: number; nowMs: number }): boolean =>
  isWithin(hookLimits.duplicateWithinMs, times)
