// Limits concurrent work: a caller that finds no free slot gets an error and can try again later.
import { CodedError } from '../errors.ts'

/** `what` says what the holders of a slot are doing. */
export type LimitOptions = { max: number; what: string }

export class ConcurrencyLimit {
  readonly #limit: LimitOptions
  #used = 0

  constructor(limit: LimitOptions) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** Throws `rate-limited` when no slot is free. Returns a function that frees the slot. */
  reserve(): () => void {
    if (this.#used >= this.#limit.max) throw tooMany(this.#limit)
    this.#used++
    return () => void this.#used--
  }
}

export const tooMany = ({ max, what }: LimitOptions): CodedError =>
  new CodedError('rate-limited', { what: `${max} ${what}` })
