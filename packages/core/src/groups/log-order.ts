// The order of each group's log as times: the relay's, and where those are beyond belief ours, in the same order.
import { type Clock, clientLimits, type GroupId } from '@postern/protocol'
import { beyondBelief, type MachineTime, type Place, tsAmong } from '../judge/believable-time.ts'
import type { Database } from '../storage/database.ts'
import type { PassedTime } from '../storage/passed-time.ts'
import type { Store } from '../storage/store.ts'

type Parts = { store: Store; clock: Clock; passed: PassedTime }
type Claimed = Place & { group: GroupId }

export class LogOrder {
  readonly #parts: Parts
  /** The remembered places of each group that was asked for, oldest first. As long as the clocks agree there are none. */
  readonly #places = new Map<GroupId, Place[]>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The time of an entry, own or received: later than `lastTs`, and the same when it comes again. */
  place({ group, ...claimed }: Claimed, lastTs = 0): number {
    const { clock, passed } = this.#parts
    const machine: MachineTime = { nowMs: clock.nowMs(), reachedMs: passed.reachedMs() }
    const places = this.#of(group)
    const ts = Math.max(tsAmong(places, claimed, machine), lastTs + 1)
    passed.noteReached(claimed.ts)
    if (ts !== claimed.ts || ts >= beyondBelief(machine)) this.#remember(group, { seq: claimed.seq, ts })
    return ts
  }

  /** The relay has lost entries: it gives their places to others. */
  forgetAll(database: Database): void {
    this.#places.clear()
    database.run('DELETE FROM log_place')
  }

  #of(group: GroupId): Place[] {
    let places = this.#places.get(group)
    if (!places) {
      places = this.#parts.store.all<Place>('SELECT seq, ts FROM log_place WHERE group_id = ? ORDER BY ts', group)
      this.#places.set(group, places)
    }
    return places
  }

  #remember(group: GroupId, place: Place): void {
    const places = this.#of(group)
    const at = places.findIndex(({ seq }) => seq === place.seq)
    if (places[at]?.ts === place.ts) return
    if (at >= 0) places.splice(at, 1)
    places.push(place)
    const forgotten = places.splice(0, Math.max(0, places.length - clientLimits.logPlacesKept))
    // A place that could not be written is known until the next start.
    this.#parts.store
      .write(database => keepPlace(database, group, { place, forgotten }), 'recorded')
      .catch(() => undefined)
  }
}

type Kept = { place: Place; forgotten: Place[] }

function keepPlace(database: Database, group: GroupId, { place, forgotten }: Kept): void {
  database.run('INSERT OR REPLACE INTO log_place (group_id, seq, ts) VALUES (?, ?, ?)', group, place.seq, place.ts)
  for (const { seq } of forgotten) database.run('DELETE FROM log_place WHERE group_id = ? AND seq = ?', group, seq)
}
