// The corrected clock that measures ages: changes of clocks that relays have noted, for the relay that sweeps.
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { StoreOptions } from '../../relay-store.ts'
import { agesAt, type ClockSet, setClock } from '../../rules/ages.ts'
import type { Postgres } from '../connection/database.ts'

type Noted = ClockSet & { databaseMs: number }

const CLOCK_SET = `
  SELECT set_by_ms AS "byMs", set_until_ms AS "untilMs", floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "databaseMs"
  FROM retention`
const never: Noted = { byMs: 0, untilMs: 0, databaseMs: 0 }

export class PgRetentionRows {
  readonly #database: Postgres
  readonly #limits: RelayLimits
  readonly #ages: StoreOptions['ages']
  /** By how much this relay's own clock was set forward. */
  #ownMs = 0

  constructor(database: Postgres, { limits, ages }: Pick<StoreOptions, 'limits' | 'ages'>) {
    this.#database = database
    this.#limits = limits
    this.#ages = ages
  }

  /** A relay that starts with a clock that is ahead would otherwise delete new data for all. */
  async agesAt(nowMs: number): Promise<number> {
    const noted = (await this.#database.one<Noted>(CLOCK_SET)) ?? never
    const ownMs = agesAt(noted, nowMs)
    return this.#ages === 'by-both-clocks' ? Math.min(ownMs, noted.databaseMs) : ownMs
  }

  async noteClockSet({ byMs, nowMs }: { byMs: number; nowMs: number }): Promise<void> {
    // Setting a clock back cancels only its own change forward: the rest belongs to other relays' clocks.
    const countedMs = Math.max(byMs, -this.#ownMs)
    await this.#database.transaction(async tx => {
      const before = (await tx.one<Noted>(`${CLOCK_SET} FOR UPDATE`)) ?? never
      const now = setClock(before, { byMs: countedMs, nowMs }, this.#limits)
      // A clock that is ahead may set this time too late, which only keeps data for longer.
      const untilMs = now.byMs === 0 ? 0 : Math.max(before.untilMs, now.untilMs)
      await tx.run('UPDATE retention SET set_by_ms = $1, set_until_ms = $2', [now.byMs, untilMs])
    })
    this.#ownMs += countedMs
  }
}
