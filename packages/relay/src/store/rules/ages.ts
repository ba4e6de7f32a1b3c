// The time by which ages are told after the relay's clock was set: what was stamped before is not older by that.
import type { RelayLimits } from '../../limits/relay-limits.ts'

/** By how much the clock was set forward, and until when that counts. */
export type ClockSet = { byMs: number; untilMs: number }

/**
 * Until all is gone that was stamped before, ages are told by the clock less what it was set forward: some is kept for
 * longer than it must be, and nothing for less.
 */
export const agesAt = ({ byMs, untilMs }: ClockSet, nowMs: number): number => (nowMs < untilMs ? nowMs - byMs : nowMs)

/** The clock, which shows `nowMs` now, was set by so much, forward or back. */
export function setClock(before: ClockSet, set: { byMs: number; nowMs: number }, limits: RelayLimits): ClockSet {
  const { byMs, nowMs } = set
  const inForceMs = nowMs - byMs < before.untilMs ? before.byMs : 0
  // Set back, it takes back what it was set forward by mistake.
  const leftMs = Math.max(0, inForceMs + byMs)
  const keptMs = Math.max(limits.keepEntriesMs, limits.keepBlobsMs, limits.keepPastMembersMs)
  return { byMs: leftMs, untilMs: leftMs === 0 ? 0 : nowMs + keptMs }
}
