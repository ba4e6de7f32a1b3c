// The bytes that an account has stored today:
// counted in the transaction that stores them, so it is exact with any number of relays.
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { bytesPerDay, bytesRefusal, dayOf } from '../../rules/day-limits.ts'
import type { Queries } from '../connection/queries.ts'
import type { NumberedAccount } from './account-numbers.ts'

export class DayBytesRows {
  readonly #limits: RelayLimits

  constructor(limits: RelayLimits) {
    this.#limits = limits
  }

  /** Throws `daily-bytes-limit` if it is too much for today; nothing is counted then. */
  async charge(
    tx: Queries,
    { num, createdMs }: NumberedAccount,
    stored: { bytes: number; nowMs: number },
  ): Promise<void> {
    const day = dayOf(stored.nowMs)
    const limit = bytesPerDay(this.#limits, stored.nowMs - createdMs)
    if (stored.bytes > limit) throw bytesRefusal(limit, day)
    const counted = await tx.run(
      `INSERT INTO day_bytes (account, day, bytes) VALUES ($1, $2, $3)
       ON CONFLICT (account) DO UPDATE SET day = excluded.day,
         bytes = excluded.bytes + CASE WHEN day_bytes.day = excluded.day THEN day_bytes.bytes ELSE 0 END
       WHERE day_bytes.day <> excluded.day OR day_bytes.bytes + excluded.bytes <= $4`,
      [num, day, stored.bytes, limit],
    )
    if (counted === 0) throw bytesRefusal(limit, day)
  }
}
