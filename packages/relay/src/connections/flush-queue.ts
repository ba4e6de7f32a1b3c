// The connections that were written to in this turn: at its end what each was sent goes out, in the order of the first word.
import { type Log, logFault } from '@postern/protocol'
import { endOfTick } from '@postern/protocol/node'

type Corked = { uncork(): void }

export class FlushQueue {
  readonly #background: { what: string; log: Log }
  #corked: Corked[] = []

  constructor(log: Log) {
    this.#background = { what: 'frames not sent', log }
  }

  /** Who gets a message was sent it before its sender was answered, and is also served first here. */
  add(corked: Corked): void {
    this.#corked.push(corked)
    // Once for all: of a message to a thousand members there would be a thousand.
    if (this.#corked.length === 1) endOfTick(this.#end, this.#background)
  }

  readonly #end = (): void => {
    const corked = this.#corked
    this.#corked = []
    for (const connection of corked) this.#uncork(connection)
  }

  /** One that throws must not leave the others silent for ever. */
  #uncork(connection: Corked): void {
    try {
      connection.uncork()
    } catch (error) {
      logFault(error, this.#background)
    }
  }
}
