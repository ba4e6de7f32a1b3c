// How old something is that the relay has dated: by the relay's own clock, as far as it is believed.
import type { Core } from '../context.ts'
import { believableTs } from '../judge/believable-time.ts'

/** This machine's clock may be minutes or days off the relay's: compared with it, everything would be too old, or never old. */
export function ageOf({ clock, passed }: Pick<Core, 'clock' | 'passed'>, ts: number): number {
  const nowMs = clock.nowMs()
  return Math.max(0, believableTs(passed.relayNowMs() ?? nowMs, { nowMs, lastTs: 0 }) - ts)
}
