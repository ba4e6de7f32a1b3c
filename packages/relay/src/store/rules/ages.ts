// The corrected time that measures ages after the relay's clock was changed: data stamped before must not look older.
import type { RelayLimits } from '../../limits/relay-limits.ts'

/** By how much the clock was set forward, and until when that counts. */
export type ClockSet = { byMs: number; untilMs: number }

/**
 * Until all data stamped before the change has expired, ages use the clock minus the correction: some data is kept for
 * longer than necessary, none for less.
 */
export const agesAt = ({ byMs, untilMs }: ClockSet, nowMs: number): number => (nowMs < untilMs ? nowMs - byMs : nowMs)

/** The clock now shows `nowMs` after it was changed by this amount, forward or back. */
export function setClock(before: ClockSet, set: { byMs: number; nowMs: number }, limits: RelayLimits): ClockSet {
  const { byMs, nowMs } = set
  const inForceMs = nowMs - byMs < before.untilMs ? before.byMs : 0
  // Setting the clock back cancels an earlier change forward.
  const leftMs = Math.max(0, inForceMs + byMs)
  const keptMs = Math.max(limits.keepEntriesMs, limits.keepBlobsMs, limits.keepPastMembersMs)
  return { byMs: leftMs, untilMs: leftMs === 0 ? 0 : nowMs + keptMs }
}
