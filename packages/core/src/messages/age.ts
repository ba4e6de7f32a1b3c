// How old something is that the relay has dated, and what is due: by the relay's own clock, as far as it is believed.
import type { Core } from '../context.ts'
import { believableTs, latestBelieved } from '../judge/believable-time.ts'

/** This machine's clock may be minutes or days off the relay's: compared with it, everything would be too old, or never old. */
export const ageOf = (core: Pick<Core, 'clock' | 'elapsed'>, ts: number): number => Math.max(0, presentMs(core) - ts)

/**
 * What the relay's clock says now, as far as it is believed; else what this machine's does. A time of ours beyond that, as
 * entries get it, would make old at once what the relay has dated before it went wrong.
 */
export function presentMs({ clock, elapsed }: Pick<Core, 'clock' | 'elapsed'>): number {
  const machine = { nowMs: clock.nowMs(), reachedMs: elapsed.reachedMs() }
  const relayMs = elapsed.relayNowMs() ?? machine.nowMs
  return relayMs > latestBelieved(machine) ? machine.reachedMs : believableTs(relayMs, machine)
}

/** By this machine's clock or by the relay's, whichever is later: a clock that is behind must not make anything late. */
export const dueMs = (core: Pick<Core, 'clock' | 'elapsed'>): number => Math.max(core.clock.nowMs(), presentMs(core))
