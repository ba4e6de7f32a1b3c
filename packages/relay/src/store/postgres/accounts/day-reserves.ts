// Bytes of a day that this relay has counted ahead, so that few messages of an account count any.
import { WeightedCache } from '@postern/protocol'

/** A day from 1970, and the bytes that are left. */
type DayReserve = { day: number; bytes: number }

/** Lost reserves are bytes that were counted and not used: an account may store less on that day, never more. */
export class DayReserves {
  readonly #held: WeightedCache<number, DayReserve>

  constructor(accountsMax: number) {
    this.#held = new WeightedCache(accountsMax)
  }

  left(account: number, day: number): number {
    const held = this.#held.get(account)
    return held?.day === day ? held.bytes : 0
  }

  add(account: number, { day, bytes }: DayReserve): void {
    if (bytes > 0) this.#held.set(account, { day, bytes: this.left(account, day) + bytes }, 1)
  }

  /** The bytes of each account were stored. */
  spend(spent: ReadonlyMap<number, number>): void {
    for (const [account, bytes] of spent) {
      const held = this.#held.get(account)
      if (held) held.bytes = Math.max(0, held.bytes - bytes)
    }
  }

  /** Nobody knows whether they were stored. */
  forget(spent: ReadonlyMap<number, number>): void {
    for (const account of spent.keys()) this.#held.delete(account)
  }
}
