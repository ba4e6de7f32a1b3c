// Tells whoever listens that there may be something new. It says nothing of what: they look themselves.
import { Wait } from './wait.ts'

export class Bell {
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
  ring(): void {
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener()
  }

  /** Resolves when it rings next. */
  next(): Promise<void> {
    const wait = new Wait()
    wait.onOver(this.listen(() => wait.resolve()))
    return wait.over
  }
}
