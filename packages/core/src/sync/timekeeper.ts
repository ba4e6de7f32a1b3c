// What is due at a moment: receipts shortly after a burst, disappearing messages when their time is up.
import { clientLimits, type Timer } from '@postern/protocol'
import type { Core } from '../context.ts'
import { expireMessages, nextExpiryTs } from '../messages/expiry.ts'

export class Timekeeper {
  readonly #core: Core
  #receipts: Timer | undefined
  #expiry: Timer | undefined
  #isStopped = false

  constructor(core: Core) {
    this.#core = core
  }

  /** Called when something may be due earlier than was known; often from within a transaction that is not written yet. */
  rearm(): void {
    if (this.#isStopped || this.#receipts) return
    this.#receipts = this.#core.clock.setTimer(clientLimits.receiptsAfterMs, () => {
      this.#receipts = undefined
      this.#core.poke()
      this.armExpiry()
    })
  }

  armExpiry(): void {
    this.#expiry?.cancel()
    const dueTs = this.#isStopped ? undefined : nextExpiryTs(this.#core)
    if (dueTs === undefined) return
    const afterMs = Math.max(0, dueTs - this.#core.clock.nowMs())
    this.#expiry = this.#core.clock.setTimer(Math.min(afterMs, TIMER_MS_MAX), () => void this.#expire())
  }

  stop(): void {
    this.#isStopped = true
    this.#receipts?.cancel()
    this.#expiry?.cancel()
  }

  async #expire(): Promise<void> {
    try {
      await expireMessages(this.#core)
      this.armExpiry()
    } catch (error) {
      this.#core.log.warn({ error: String(error) }, 'messages could not be erased; it is tried again')
      if (!this.#isStopped) this.#expiry = this.#core.clock.setTimer(RETRY_AFTER_MS, () => void this.#expire())
    }
  }
}

/** A timer of JavaScript cannot wait longer. */
const TIMER_MS_MAX = 2 ** 31 - 1
const RETRY_AFTER_MS = 5000
