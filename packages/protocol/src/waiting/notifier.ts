// Wakes listeners when there may be something new. They look for it themselves.
import { Deferred } from './deferred.ts'

export class Notifier {
  readonly #listeners = new Set<() => void>()

  get listenerCount(): number {
    return this.#listeners.size
  }

  /** Gives what ends the listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Whoever begins to listen meanwhile hears the next one, and whoever has ended meanwhile hears nothing. */
  notify(): void {
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener()
  }

  /** Resolves when it rings next. */
  next(): Promise<void> {
    const wait = new Deferred()
    wait.onSettled(this.listen(() => wait.resolve()))
    return wait.promise
  }
}
