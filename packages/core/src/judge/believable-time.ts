// The relay's time, as far as it is believed: it orders messages, and a relay that lies must not order them at will.
import { clientLimits } from '@postern/protocol'

/** The time of this machine: its clock, and the time that was certainly reached, in case the clock was set back. */
export type MachineTime = { nowMs: number; reachedMs: number }
/** An entry's place in the log of its group, and the time that it has here. */
export type LogPlace = { seq: number; ts: number }

export const latestBelieved = ({ reachedMs }: MachineTime): number => reachedMs + clientLimits.relayTsAheadMsMax
/** The time for entries that are dated too far ahead. A later time is believed only if its place is remembered. */
export const beyondBelief = ({ reachedMs }: MachineTime): number => reachedMs + clientLimits.relayTsBeyondMs

/** The relay's time as far as it is believed: never far from the clock of this machine. */
export function believableTs(claimedTs: number, machine: MachineTime): number {
  if (claimedTs > latestBelieved(machine)) return beyondBelief(machine)
  return Math.max(claimedTs, machine.nowMs - clientLimits.relayTsBehindMsMax)
}

/**
 * Places an entry between the remembered places. Each entry in between keeps a millisecond: own entries are often
 * placed before entries that the relay accepted earlier. Dated by when they are read here, they would be in another
 * order than elsewhere.
 */
export function tsAmong(places: readonly LogPlace[], claimed: LogPlace, machine: MachineTime): number {
  const same = places.find(({ seq }) => seq === claimed.seq)
  if (same) return same.ts
  const before = nearest(places.filter(({ seq }) => seq < claimed.seq))
  const behind = nearest(places.filter(({ seq }) => seq > claimed.seq && seq - claimed.seq <= APART_MAX))
  let ts = believableTs(claimed.ts, machine)
  if (before) {
    const apart = claimed.seq - before.seq
    // The relay may have invented a number that is further away: it leads no further than the latest believed time.
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
