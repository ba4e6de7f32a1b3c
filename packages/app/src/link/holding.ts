// A wish for the lock: waited for until it is withdrawn, then held until it is released.
import { Wait } from '@postern/protocol'

export class Holding {
  readonly #aborting = new AbortController()
  readonly #held = new Wait()

  get signal(): AbortSignal {
    return this.#aborting.signal
  }

  /** As long as this lasts the lock is held. */
  get over(): Promise<void> {
    return this.#held.over
  }

  get isReleased(): boolean {
    return this.#held.isOver
  }

  release(): void {
    this.#held.resolve()
    this.#aborting.abort()
  }
}
