// Wakes listeners when there may be something new. They look for it themselves.
import { Deferred } from './deferred.ts'

export class Notifier {
  readonly #listeners = new Set<() => void>()

  get listenerCount(): number {
    return this.#listeners.size
  }

  /** Returns a function that ends the listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** A listener added during the call receives the next one; a listener removed during the call is not called. */
  notify(): void {
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener()
  }

  /** Resolves at the next notification. */
  next(): Promise<void> {
    const wait = new Deferred()
    wait.onSettled(this.listen(() => wait.resolve()))
    return wait.promise
  }
}
