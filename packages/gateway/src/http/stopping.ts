// The stop as requests see it: first everybody is served to the end, then who still waits is told to come again.
import { CodedError } from '@postern/protocol'

export class Stopping {
  readonly #waiting = new Set<() => void>()
  #state: 'serving' | 'stopping' | 'over' = 'serving'

  get isStopping(): boolean {
    return this.#state !== 'serving'
  }

  begin(): void {
    this.#state = 'stopping'
  }

  /** Whoever still waits is answered now: a connection that is cut would leave the caller without a word. */
  lastCall(): void {
    this.#state = 'over'
    for (const refuse of this.#waiting) refuse()
  }

  /** What the work gives, or `stopping` when the last call comes first. */
  async orStopping<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const refuse = () => reject(new CodedError('stopping'))
    this.#waiting.add(refuse)
    if (this.#state === 'over') refuse()
    try {
      return await Promise.race([work, promise])
    } finally {
      this.#waiting.delete(refuse)
    }
  }
}
