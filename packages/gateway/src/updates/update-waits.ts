// Callers that wait for the next update: a bounded number of them, each woken by an update, its timeout or the stop.
import type { Journal } from '@postern/core'
import { type Clock, Deferred, Notifier, tooMany } from '@postern/protocol'

export type WaitPlaces = { max: number; what: string }

export class UpdateWaits {
  readonly #clock: Clock
  readonly #places: WaitPlaces
  /** Notified when there may be something to answer with. */
  readonly #notifier = new Notifier()
  readonly #unsubscribe: () => void
  #taken = 0
  #isReleased = false

  constructor(journal: Pick<Journal, 'onAppend'>, { clock, ...places }: WaitPlaces & { clock: Clock }) {
    this.#clock = clock
    this.#places = places
    this.#unsubscribe = journal.onAppend(() => this.wake())
  }

  /** Nobody waits any more: the gateway stops. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /** A place to wait in, and the function that gives it back. Throws if all are taken. */
  take(): () => void {
    if (this.#taken >= this.#places.max) throw tooMany(this.#places)
    this.#taken += 1
    return () => void (this.#taken -= 1)
  }

  /** Resolves when there may be an update, when the time is up, when the caller is gone, or at the stop. */
  next(forMs: number, gone: AbortSignal): Promise<void> {
    const woken = new Deferred()
    const wake = () => woken.resolve()
    woken.after(this.#clock, forMs, wake)
    woken.onAbort(gone, wake)
    woken.onSettled(this.#notifier.listen(wake))
    return woken.promise
  }

  wake(): void {
    this.#notifier.notify()
  }

  /** Wakes everybody, for the last time. */
  release(): void {
    this.#isReleased = true
    this.#unsubscribe()
    this.wake()
  }
}
