// Retention: the position below which nothing is read any more, and the corrected clock that measures ages.
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { agesAt, type ClockSet, setClock } from '../../rules/ages.ts'
import type { Sqlite } from '../database.ts'

export class RetentionRows {
  readonly #limits: RelayLimits
  readonly #sql

  constructor(db: Sqlite, limits: RelayLimits) {
    this.#limits = limits
    this.#sql = {
      floor: db.prepare<[], number>('SELECT floor FROM retention').pluck(),
      raiseFloor: db.prepare('UPDATE retention SET floor = ?'),
      clockSet: db.prepare<[], ClockSet>('SELECT set_by_ms AS byMs, set_until_ms AS untilMs FROM retention'),
      putClockSet: db.prepare('UPDATE retention SET set_by_ms = ?, set_until_ms = ?'),
    }
  }

  /** Mailboxes show nothing below it. */
  floor(): number {
    return this.#sql.floor.get() ?? 0
  }

  raiseFloor(pos: number): void {
    this.#sql.raiseFloor.run(pos)
  }

  agesAt(nowMs: number): number {
    return agesAt(this.#clockSet(), nowMs)
  }

  noteClockSet(set: { byMs: number; nowMs: number }): void {
    const { byMs, untilMs } = setClock(this.#clockSet(), set, this.#limits)
    this.#sql.putClockSet.run(byMs, untilMs)
  }

  #clockSet(): ClockSet {
    return this.#sql.clockSet.get() ?? { byMs: 0, untilMs: 0 }
  }
}
