// What a client that runs for months must look after without being asked: its certificate, and its keys at the relay.
import { clientLimits, inBackground, type Timer } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { Chores } from './chores.ts'

type Parts = Pick<Core, 'clock' | 'jitter' | 'device' | 'log'>

export class Upkeep {
  readonly #core: Parts
  readonly #chores: Chores
  #timer: Timer | undefined
  #isStopped = false

  constructor(core: Parts, chores: Chores) {
    this.#core = core
    this.#chores = chores
  }

  start(): void {
    if (this.#isStopped) return
    const { clock, jitter } = this.#core
    // Spread: all clients of a relay that was started anew would ask it at the same moment, every hour.
    const afterMs = clientLimits.upkeepEveryMs * (1 - jitter() / 2)
    this.#timer = clock.setTimer(afterMs, () => {
      const lookedAfter = this.#core.device.renewIfDue().then(() => this.#chores.lookAfterKeys())
      inBackground(lookedAfter, { what: 'keys were not looked after; it is tried again', log: this.#core.log })
      this.start()
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }
}
