// The relay's time, as far as it is believed: it orders what is said, and a relay that lies must not order it at will.
import { clientLimits } from '@postern/protocol'

/** Strictly behind what the chat has already, and not far off the clock of this machine. */
export function believableTs(claimedTs: number, { nowMs, lastTs }: { nowMs: number; lastTs: number }): number {
  const earliest = nowMs - clientLimits.relayTsBehindMsMax
  const latest = nowMs + clientLimits.relayTsAheadMsMax
  const near = Math.min(Math.max(claimedTs, earliest), latest)
  return Math.max(near, lastTs + 1)
}
