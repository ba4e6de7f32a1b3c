// UPDATES=off: nobody asks for updates, so they are confirmed as they come and the journal does not grow.
import type { Journal, Log } from '@postern/core'
import { type Clock, gatewayLimits, type Timer } from '@postern/protocol'
import { OPERATOR } from './update-queue.ts'

export class UpdateDiscard {
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #log: Log
  readonly #unsubscribe: () => void
  #timer: Timer | undefined

  constructor(journal: Journal, { clock, log }: { clock: Clock; log: Log }) {
    this.#journal = journal
    this.#clock = clock
    this.#log = log
    this.#unsubscribe = journal.onAppend(() => this.#discardSoon())
    this.#discardSoon()
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#timer?.cancel()
    await this.#discard()
  }

  /** Once a second at most: a confirmation is a write to the disk. */
  #discardSoon(): void {
    this.#timer ??= this.#clock.setTimer(gatewayLimits.updatesDiscardEveryMs, () => void this.#discard())
  }

  async #discard(): Promise<void> {
    this.#timer = undefined
    const newest = this.#journal.newest()
    if (newest <= this.#journal.confirmed(OPERATOR)) return
    try {
      await this.#journal.confirm(OPERATOR, newest)
    } catch (error) {
      this.#log.warn({ err: error }, 'updates could not be discarded; it is tried again with the next one')
    }
  }
}
