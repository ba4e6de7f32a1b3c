// Assigns times to the order of each group's log: the relay's,
// or, where those are not believable, ours in the same order.
import { type Clock, clientLimits, type GroupId } from '@postern/protocol'
import { beyondBelief, type LogPlace, type MachineTime, tsAmong } from '../judge/believable-time.ts'
import type { Database } from '../storage/database.ts'
import type { ElapsedClock } from '../storage/state/elapsed-clock.ts'
import type { Store } from '../storage/transactions/store.ts'

type Parts = { store: Store; clock: Clock; elapsed: ElapsedClock }
type Claimed = LogPlace & { group: GroupId }
/** `isRelays`: its time is the relay's. Such a place is remembered only while something may still come before it. */
type Remembered = LogPlace & { isRelays?: boolean }

export class LogOrder {
  readonly #parts: Parts
  /** The remembered places of each group in use. While the clocks agree: the last one, and own ones ahead of it. */
  readonly #places = new Map<GroupId, Remembered[]>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * The time of an entry, which is the same when it comes again. `lastTs`: the time of the entry that was read before
   * it. It is absent for an entry of our own that the relay has accepted, which may be placed before entries ahead of
   * it are read.
   */
  place({ group, ...claimed }: Claimed, lastTs?: number): number {
    const { clock, elapsed } = this.#parts
    const machine: MachineTime = { nowMs: clock.nowMs(), reachedMs: elapsed.reachedMs() }
    const places = this.#of(group)
    const ts = Math.max(tsAmong(places, claimed, machine), (lastTs ?? 0) + 1)
    elapsed.noteReached(claimed.ts)
    const place = { seq: claimed.seq, ts, isRelays: ts === claimed.ts && ts < beyondBelief(machine) }
    this.#remember(group, place, lastTs === undefined ? 'own' : 'read')
    return ts
  }

  /** The relay has lost entries, and assigns their places to others. */
  forgetAll(database: Database): void {
    this.#places.clear()
    database.run('DELETE FROM log_place')
  }

  #of(group: GroupId): Remembered[] {
    let places = this.#places.get(group)
    if (!places) {
      places = this.#parts.store.all<Remembered>('SELECT seq, ts FROM log_place WHERE group_id = ? ORDER BY ts', group)
      this.#places.set(group, places)
    }
    return places
  }

  /**
   * The last place is always remembered, even if its time is the relay's: the clocks may be set after it, and a later
   * entry must not get an earlier time then.
   */
  #remember(group: GroupId, place: Remembered, by: 'own' | 'read'): void {
    const places = this.#of(group)
    const at = places.findIndex(({ seq }) => seq === place.seq)
    if (places[at]?.ts === place.ts) return
    if (at >= 0) places.splice(at, 1)
    places.push(place)
    const tooMany = places.splice(0, Math.max(0, places.length - clientLimits.logPlacesKept))
    const useless = uselessBehind(places, place, by)
    this.#places.set(
      group,
      places.filter(one => !useless.includes(one)),
    )
    const forgotten = [...tooMany, ...useless]
    // Written with the entry itself: a kill that loses the one loses the other. A place that could not be written is
    // known until the next start.
    this.#parts.store
      .write(database => keepPlace(database, group, { place, forgotten }), place.isRelays ? 'deferred' : 'recorded')
      .catch(() => undefined)
  }
}

/**
 * Nothing can come before an entry that was read.
 * In a row of our own entries, the first and the last bound those in between.
 */
function uselessBehind(places: Remembered[], place: LogPlace, by: 'own' | 'read'): Remembered[] {
  if (by === 'read') return places.filter(({ seq, isRelays }) => isRelays && seq < place.seq)
  const isInRow = places.some(({ seq }) => seq === place.seq - 2)
  return isInRow ? places.filter(({ seq, isRelays }) => isRelays && seq === place.seq - 1) : []
}

type Kept = { place: LogPlace; forgotten: LogPlace[] }

function keepPlace(database: Database, group: GroupId, { place, forgotten }: Kept): void {
  database.run('INSERT OR REPLACE INTO log_place (group_id, seq, ts) VALUES (?, ?, ?)', group, place.seq, place.ts)
  for (const { seq } of forgotten) database.run('DELETE FROM log_place WHERE group_id = ? AND seq = ?', group, seq)
}
