// A request for the lock: it waits until it is withdrawn, then holds the lock until it is released.
import { Deferred } from '@postern/protocol'

export class LockRequest {
  readonly #aborting = new AbortController()
  readonly #held = new Deferred()

  get signal(): AbortSignal {
    return this.#aborting.signal
  }

  /** The lock is held as long as this lasts. */
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
