// How much an account has stored today. Counted in memory and written now and then, so that a message costs no row more.
import { CodedError } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Sqlite } from './database.ts'

const DAY_MS = 86_400_000
/** What a kill may leave uncounted of one account. */
const WRITTEN_EVERY_BYTES = 256 * 1024
/** What rows take beside payloads. */
export const rowBytes = { entry: 128, reference: 24, named: 64, group: 256 } as const

type Row = { day: number; bytes: number; createdMs: number }
type Held = Row & { written: number }

export class DayBytes {
  readonly #limits: RelayLimits
  readonly #held = new Map<number, Held>()
  readonly #sql

  constructor(db: Sqlite, limits: RelayLimits) {
    this.#limits = limits
    this.#sql = {
      row: db.prepare<[number], Row>(
        'SELECT bytes_day AS day, bytes_used AS bytes, created_ms AS createdMs FROM account WHERE num = ?',
      ),
      write: db.prepare('UPDATE account SET bytes_day = ?, bytes_used = ? WHERE num = ?'),
    }
  }

  /** Throws `daily-bytes-limit` when it is too much for today; then nothing is counted. */
  charge(account: number, bytes: number, nowMs: number): void {
    const held = this.#today(account, nowMs)
    const isNew = nowMs - held.createdMs < this.#limits.newAccountMs
    const limit = isNew ? this.#limits.newAccountBytesPerDayMax : this.#limits.bytesPerDayMax
    if (held.bytes + bytes > limit)
      throw new CodedError('daily-bytes-limit', { limit, retryAtMs: (held.day + 1) * DAY_MS })
    held.bytes += bytes
    if (held.bytes - held.written < WRITTEN_EVERY_BYTES) return
    this.#sql.write.run(held.day, held.bytes, account)
    held.written = held.bytes
  }

  /** It was there already, and is not stored again. */
  refund(account: number, bytes: number): void {
    const held = this.#held.get(account)
    if (held) held.bytes = Math.max(0, held.bytes - bytes)
  }

  /** What is in memory may be of a transaction that was undone. */
  forget(): void {
    this.#held.clear()
  }

  #today(account: number, nowMs: number): Held {
    const day = Math.floor(nowMs / DAY_MS)
    const held = this.#held.get(account) ?? this.#load(account)
    if (held.day === day) return held
    held.day = day
    held.bytes = 0
    held.written = 0
    return held
  }

  #load(account: number): Held {
    const row = this.#sql.row.get(account) ?? { day: 0, bytes: 0, createdMs: 0 }
    const held = { ...row, written: row.bytes }
    // All at once: to find the one that was used last would cost every message more than this does.
    if (this.#held.size >= this.#limits.accountsCachedMax) this.#held.clear()
    this.#held.set(account, held)
    return held
  }
}
