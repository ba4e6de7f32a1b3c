// The bytes that an account has stored today.
// Counted in memory and written periodically, so that a message costs no additional row.
import { relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { bytesPerDay, bytesRefusal, dayOf } from '../../rules/day-limits.ts'
import type { DatabaseRoom } from '../database-room.ts'
import type { AccountRows } from './account-rows.ts'

type Held = { day: number; bytes: number; createdMs: number; written: number }

export class DayBytes {
  readonly #accounts: AccountRows
  readonly #limits: RelayLimits
  readonly #room: DatabaseRoom
  readonly #held = new Map<number, Held>()

  constructor({ accounts, limits, room }: { accounts: AccountRows; limits: RelayLimits; room: DatabaseRoom }) {
    this.#accounts = accounts
    this.#limits = limits
    this.#room = room
  }

  /** Throws `storage-full`, or `daily-bytes-limit` if it is too much for today; nothing is counted then. */
  charge(account: number, bytes: number, nowMs: number): void {
    this.#room.check(bytes)
    const held = this.#today(account, nowMs)
    const limit = bytesPerDay(this.#limits, nowMs - held.createdMs)
    if (held.bytes + bytes > limit) throw bytesRefusal(limit, held.day)
    held.bytes += bytes
    if (held.bytes - held.written < relayFixedLimits.dayBytesUncountedMax) return
    this.#accounts.putBytesStored(account, held)
    held.written = held.bytes
  }

  /** The data was already stored, and is not stored again. */
  refund(account: number, bytes: number): void {
    const held = this.#held.get(account)
    if (held) held.bytes = Math.max(0, held.bytes - bytes)
  }

  /** Values in memory may come from a transaction that was rolled back. */
  forget(): void {
    this.#held.clear()
  }

  #today(account: number, nowMs: number): Held {
    const day = dayOf(nowMs)
    const held = this.#held.get(account) ?? this.#load(account)
    if (held.day === day) return held
    held.day = day
    held.bytes = 0
    held.written = 0
    return held
  }

  #load(account: number): Held {
    const row = this.#accounts.bytesStored(account) ?? { day: 0, bytes: 0, createdMs: 0 }
    const held = { ...row, written: row.bytes }
    // Clears everything: finding the least recently used entry would cost every message more.
    if (this.#held.size >= this.#limits.accountsCachedMax) this.#held.clear()
    this.#held.set(account, held)
    return held
  }
}
