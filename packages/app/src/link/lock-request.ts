// A wish for the lock: waited for until it is withdrawn, then held until it is released.
import { Deferred } from '@postern/protocol'

export class LockRequest {
  readonly #aborting = new AbortController()
  readonly #held = new Deferred()

  get signal(): AbortSignal {
    return this.#aborting.signal
  }

  /** As long as this lasts the lock is held. */
  get over(): Promise<void> {
    return this.#held.promise
  }

  get isReleased(): boolean {
    return this.#held.isSettled
  }

  release(): void {
    this.#held.resolve()
    this.#aborting.abort()
  }
}
