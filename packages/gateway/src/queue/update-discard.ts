// Confirms updates as they arrive when nobody reads them (UPDATES=off without hooks), so that the journal does not grow.
import type { Journal, Log } from '@postern/core'
import { type Clock, faultFields, gatewayLimits, inBackground, LogThrottle, type Timer } from '@postern/protocol'
import { OPERATOR } from './update-queue.ts'

export class UpdateDiscard {
  readonly #journal: Journal
  readonly #clock: Clock
  readonly #log: Log
  readonly #reader: string
  readonly #unsubscribe: () => void
  readonly #faults: LogThrottle
  #timer: Timer | undefined
  #isStopped = false

  constructor(journal: Journal, { clock, log, reader = OPERATOR }: { clock: Clock; log: Log; reader?: string }) {
    this.#journal = journal
    this.#clock = clock
    this.#log = log
    this.#reader = reader
    this.#faults = new LogThrottle(clock, gatewayLimits.faultSaidEveryMs)
    this.#unsubscribe = journal.onAppend(() => this.#discardSoon())
    this.#discardSoon()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#timer?.cancel()
    await this.#discard()
  }

  /** Once a second at most: a confirmation is a write to the disk. */
  #discardSoon(): void {
    this.#timer ??= this.#clock.setTimer(gatewayLimits.updatesDiscardEveryMs, () => {
      this.#timer = undefined
      inBackground(this.#discard(), { what: 'updates not discarded', log: this.#log })
    })
  }

  async #discard(): Promise<void> {
    try {
      const newest = this.#journal.newest()
      if (newest > this.#journal.confirmed(this.#reader)) await this.#journal.confirm(this.#reader, newest)
    } catch (error) {
      const what = 'updates not discarded; will retry'
      this.#faults.say(what, unsaid => this.#log.warn({ ...faultFields(error), ...unsaid }, what))
      if (!this.#isStopped) this.#discardSoon()
    }
  }
}
