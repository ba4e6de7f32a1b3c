// The connections written to in this turn. At its end their frames are sent, in the order of their first write.
import { type Log, logFault } from '@postern/protocol'
import { endOfTick } from '@postern/protocol/node'

type Corked = { uncork(): void }

export class FlushQueue {
  readonly #background: { what: string; log: Log }
  #corked: Corked[] = []

  constructor(log: Log) {
    this.#background = { what: 'frames not sent', log }
  }

  /** Receivers of a message were written to before its sender was answered, and so are also flushed first. */
  add(corked: Corked): void {
    this.#corked.push(corked)
    // One callback for all: a message to a thousand members would otherwise schedule a thousand.
    if (this.#corked.length === 1) endOfTick(this.#end, this.#background)
  }

  readonly #end = (): void => {
    const corked = this.#corked
    this.#corked = []
    for (const connection of corked) this.#uncork(connection)
  }

  /** A failing connection must not keep the others from being flushed. */
  #uncork(connection: Corked): void {
    try {
      connection.uncork()
    } catch (error) {
      logFault(error, this.#background)
    }
  }
}
