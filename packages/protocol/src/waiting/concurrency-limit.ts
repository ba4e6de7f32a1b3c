// Limits concurrent work: a caller that finds no free slot gets an error and can try again later.
import { CodedError } from '../errors.ts'

/** `what` says what those who have a slot are doing. */
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

  /** Throws `rate-limited` when none is free. Gives what frees the slot again. */
  reserve(): () => void {
    if (this.#used >= this.#limit.max) throw tooMany(this.#limit)
    this.#used++
    return () => void this.#used--
  }
}

export const tooMany = ({ max, what }: LimitOptions): CodedError =>
  new CodedError('rate-limited', { what: `${max} ${what}` })
