// Tells the pusher where to look, as soon as that is durable. A signal may be lost or superfluous: the database knows.

export type PushListener = {
  /** Groups, by their internal numbers, with new entries for attention. */
  marked(groups: readonly number[]): void
  /** A device has closed its connection to another relay. */
  left(device: string): void
  /** Signals may have been lost. */
  missed(): void
}

export class PushSignals {
  #listener: PushListener | undefined

  listen(listener: PushListener): void {
    this.#listener = listener
  }

  marked(groups: readonly number[]): void {
    if (groups.length > 0) this.#listener?.marked(groups)
  }

  left(device: string): void {
    this.#listener?.left(device)
  }

  missed(): void {
    this.#listener?.missed()
  }
}
