// The age of entries that the relay has dated, and what is due: by the relay's clock, as far as it is believed.
import type { Core } from '../context.ts'
import { believableTs, latestBelieved } from '../judge/believable-time.ts'

/**
 * This machine's clock may differ from the relay's by minutes or days:
 * by it, everything would be too old, or never old.
 */
export const ageOf = (core: Pick<Core, 'clock' | 'elapsed'>, ts: number): number => Math.max(0, presentMs(core) - ts)

/**
 * The relay's current time as far as it is believed, or else this machine's. A later time of ours, as entries get it,
 * would immediately age what the relay dated before its clock went wrong.
 */
export function presentMs({ clock, elapsed }: Pick<Core, 'clock' | 'elapsed'>): number {
  const machine = { nowMs: clock.nowMs(), reachedMs: elapsed.reachedMs() }
  const relayMs = elapsed.relayNowMs() ?? machine.nowMs
  return relayMs > latestBelieved(machine) ? machine.reachedMs : believableTs(relayMs, machine)
}

/** By this machine's clock or the relay's, whichever is later: a clock that is behind must not make anything late. */
export const dueMs = (core: Pick<Core, 'clock' | 'elapsed'>): number => Math.max(core.clock.nowMs(), presentMs(core))
