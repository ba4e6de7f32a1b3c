// Only so many at a time: whoever finds no place is told to come again.
import { CodedError } from '@postern/protocol'

export class Places {
  readonly #max: number
  readonly #what: string
  #taken = 0

  /** `what` says what those who have a place are doing. */
  constructor({ max, what }: { max: number; what: string }) {
    this.#max = max
    this.#what = what
  }

  get taken(): number {
    return this.#taken
  }

  /** Gives what leaves the place again. */
  take(): () => void {
    if (this.#taken >= this.#max) throw new CodedError('rate-limited', { what: `${this.#max} ${this.#what}` })
    this.#taken++
    return () => void this.#taken--
  }
}
