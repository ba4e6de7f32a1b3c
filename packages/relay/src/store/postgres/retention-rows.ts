// By which clock ages are told: what relays have noted of clocks that were set, for whichever of them sweeps.
import type { RelayLimits } from '../../limits/relay-limits.ts'
import { agesAt, type ClockSet, setClock } from '../rules/ages.ts'
import type { Postgres } from './database.ts'

const CLOCK_SET = 'SELECT set_by_ms AS "byMs", set_until_ms AS "untilMs" FROM retention'
const never: ClockSet = { byMs: 0, untilMs: 0 }

export class PgRetentionRows {
  readonly #database: Postgres
  readonly #limits: RelayLimits
  /** By how much this relay's own clock was set forward. */
  #ownMs = 0

  constructor(database: Postgres, limits: RelayLimits) {
    this.#database = database
    this.#limits = limits
  }

  async agesAt(nowMs: number): Promise<number> {
    return agesAt((await this.#database.one<ClockSet>(CLOCK_SET)) ?? never, nowMs)
  }

  async noteClockSet({ byMs, nowMs }: { byMs: number; nowMs: number }): Promise<void> {
    // A clock that is set back takes back no more than it was set forward itself: the rest is of other relays' clocks.
    const countedMs = Math.max(byMs, -this.#ownMs)
    await this.#database.transaction(async tx => {
      const before = (await tx.one<ClockSet>(`${CLOCK_SET} FOR UPDATE`)) ?? never
      const now = setClock(before, { byMs: countedMs, nowMs }, this.#limits)
      // By a clock that is ahead, the time until then may be far off: to others that is only longer.
      const untilMs = now.byMs === 0 ? 0 : Math.max(before.untilMs, now.untilMs)
      await tx.run('UPDATE retention SET set_by_ms = $1, set_until_ms = $2', [now.byMs, untilMs])
    })
    this.#ownMs += countedMs
  }
}
