// The relay's time, as far as it is believed: it orders what is said, and a relay that lies must not order it at will.
import { clientLimits } from '@postern/protocol'

/** The time by this machine: what its clock says, and the time before which it cannot be, should the clock have been set back. */
export type MachineTime = { nowMs: number; reachedMs: number }
/** An entry's place in the log of its group, and the time that it has here. */
export type LogPlace = { seq: number; ts: number }

export const latestBelieved = ({ reachedMs }: MachineTime): number => reachedMs + clientLimits.relayTsAheadMsMax
/** The time of what is dated too far ahead: what is dated later than that was believed only with its place remembered. */
export const beyondBelief = ({ reachedMs }: MachineTime): number => reachedMs + clientLimits.relayTsBeyondMs

/** The relay's time as far as it is believed: never far off the clock of this machine. */
export function believableTs(claimedTs: number, machine: MachineTime): number {
  if (claimedTs > latestBelieved(machine)) return beyondBelief(machine)
  return Math.max(claimedTs, machine.nowMs - clientLimits.relayTsBehindMsMax)
}

/**
 * Between the places that are remembered. Each entry in between keeps a millisecond: one's own is often placed before what
 * the relay has taken earlier, and dated by when they are read here they would stand in another order than elsewhere.
 */
export function tsAmong(places: readonly LogPlace[], claimed: LogPlace, machine: MachineTime): number {
  const same = places.find(({ seq }) => seq === claimed.seq)
  if (same) return same.ts
  const before = nearest(places.filter(({ seq }) => seq < claimed.seq))
  const behind = nearest(places.filter(({ seq }) => seq > claimed.seq && seq - claimed.seq <= APART_MAX))
  let ts = believableTs(claimed.ts, machine)
  if (before) {
    const apart = claimed.seq - before.seq
    // A number that is further off may be made up by the relay: it leads no further than what is believed.
    const known = apart <= APART_MAX ? apart : 1
    ts = Math.max(ts, Math.min(before.ts + apart, latestBelieved(machine)), before.ts + known)
  }
  return behind ? Math.min(ts, behind.ts - (behind.seq - claimed.seq)) : ts

  function nearest(some: LogPlace[]): LogPlace | undefined {
    const apart = ({ seq }: LogPlace) => Math.abs(seq - claimed.seq)
    return some.reduce<LogPlace | undefined>((best, one) => (best && apart(best) < apart(one) ? best : one), undefined)
  }
}

const APART_MAX = clientLimits.logPlacesApartMax
