// Only so many at a time: whoever finds no slot free is told to come again.
import { CodedError } from '../errors.ts'

/** `what` says what those who have a slot are doing. */
export type SlotsLimit = { max: number; what: string }

export class Slots {
  readonly #limit: SlotsLimit
  #used = 0

  constructor(limit: SlotsLimit) {
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

export const tooMany = ({ max, what }: SlotsLimit): CodedError =>
  new CodedError('rate-limited', { what: `${max} ${what}` })
