// How much one statement asks of the database: less after a timeout, more again while statements are quick.
import { postgresLimits, systemCodeOf } from '@postern/protocol'
import { causeOf } from './storage-error.ts'

const QUERY_CANCELED = '57014'
/** The driver's timeout has no code. */
const GIVEN_UP = /^Query read timeout/

/** The statement took too long, by the server's or the driver's timeout. */
export function isTimeout(error: unknown): boolean {
  const cause = causeOf(error)
  return systemCodeOf(cause) === QUERY_CANCELED || (cause instanceof Error && GIVEN_UP.test(cause.message))
}

/** Work that is too large for the timeout would never finish if it were retried unchanged. */
export class WorkSize {
  readonly #max: number
  #size: number

  constructor(max: number) {
    this.#max = max
    this.#size = max
  }

  /** From 1 to the maximum. */
  get size(): number {
    return this.#size
  }

  /** Shrinks long before the timeout, because later work waits behind this. */
  succeeded(tookMs: number): void {
    if (tookMs > postgresLimits.slowWorkMs) this.#shrink()
    else if (tookMs < postgresLimits.quickWorkMs) this.#size = Math.min(this.#max, this.#size * 2)
  }

  failed(error: unknown): void {
    if (isTimeout(error)) this.#shrink()
  }

  #shrink(): void {
    this.#size = Math.max(1, Math.floor(this.#size / 2))
  }
}
