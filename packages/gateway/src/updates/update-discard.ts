// Nobody reads on: entries are confirmed as they come, and the journal does not grow. So with UPDATES=off, and without hooks.
import type { Journal, Log } from '@postern/core'
import { type Clock, gatewayLimits, type Timer } from '@postern/protocol'
import { OPERATOR } from './update-queue.ts'

export class UpdateDiscard {
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #log: Log
  readonly #reader: string
  readonly #unsubscribe: () => void
  #timer: Timer | undefined

  constructor(journal: Journal, { clock, log, reader = OPERATOR }: { clock: Clock; log: Log; reader?: string }) {
    this.#journal = journal
    this.#clock = clock
    this.#log = log
    this.#reader = reader
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
    if (newest <= this.#journal.confirmed(this.#reader)) return
    try {
      await this.#journal.confirm(this.#reader, newest)
    } catch (error) {
      this.#log.warn({ err: error }, 'updates could not be discarded; it is tried again with the next one')
    }
  }
}
