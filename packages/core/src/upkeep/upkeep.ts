// Periodic maintenance of a client that runs for months:
// its certificate, its keys at the relay, and a journal without readers.
import { clientLimits, inBackground, type Timer } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { Journal } from '../journal/journal.ts'
import type { Chores } from './chores.ts'

type Parts = Pick<Core, 'clock' | 'jitter' | 'device' | 'log' | 'store'>

export class Upkeep {
  readonly #core: Parts
  readonly #chores: Chores
  readonly #journal: Journal
  #timer: Timer | undefined
  #isStopped = false

  constructor(core: Parts, { chores, journal }: { chores: Chores; journal: Journal }) {
    this.#core = core
    this.#chores = chores
    this.#journal = journal
  }

  start(): void {
    if (this.#isStopped) return
    const { clock, jitter, log, store } = this.#core
    inBackground(this.#journal.dropUnread(), { what: 'journal not trimmed', log })
    inBackground(store.giveBack(), { what: 'database not compacted; will retry', log })
    // Spread: all clients of a relay that was restarted would ask it at the same moment, every hour.
    const afterMs = clientLimits.upkeepEveryMs * (1 - jitter() / 2)
    this.#timer = clock.setTimer(afterMs, () => {
      const lookedAfter = this.#core.device.renewIfDue().then(() => this.#chores.lookAfterKeys())
      inBackground(lookedAfter, { what: 'key upkeep failed; will retry', log: this.#core.log })
      this.start()
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }
}
