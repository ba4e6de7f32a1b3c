// What was delivered is confirmed in the database a little later, with others: a write for each cost more than its delivery.
import type { Log } from '@postern/core'
import { type Clock, gatewayLimits, inBackground, logFault, pause, type Seldom, type Timer } from '@postern/protocol'
import type { UpdateQueue } from '../queue/update-queue.ts'

export type ConfirmationsOptions = { clock: Clock; log: Log; faults: Seldom; until: AbortSignal }

/**
 * A gateway that runs never sends again what was delivered: the queue gives it to nobody any more. A kill, or a power cut, before the
 * write sends again those that wait for it, under their ids, by which receivers know them: so many at most, and of the last moment.
 */
export class Confirmations {
  readonly #queue: UpdateQueue
  readonly #options: ConfirmationsOptions
  /** How many were delivered since the last write began. */
  #waiting = 0
  /** How many are confirmed with one write. After a start one, then more: one that is killed again and again comes forward, too. */
  #together = 1
  #timer: Timer | undefined
  #writing: Promise<void> | undefined

  constructor(queue: UpdateQueue, options: ConfirmationsOptions) {
    this.#queue = queue
    this.#options = options
  }

  /** Resolves when the next update may go out: at once, unless too many wait to be confirmed. */
  async delivered(id: number): Promise<void> {
    this.#queue.noteDelivered(id)
    this.#waiting++
    // Where nothing else waits there is nothing to confirm it with: a kill now and then sends one again, as a rule.
    if (this.#waiting >= this.#together || this.#queue.isEmptyFrom(0)) {
      this.#together = Math.min(2 * this.#together, gatewayLimits.webhookUnconfirmedMax)
      await this.write()
    } else this.#writeSoon()
  }

  /** What was delivered is not sent again because the disk is full: only the confirmation is tried again, until the stop. */
  async write(): Promise<void> {
    await (this.#writing ??= this.#tryOn().finally(() => (this.#writing = undefined)))
  }

  /** After the last delivery. A write that began before it does not count. */
  async close(): Promise<void> {
    await this.#writing
    await this.write()
  }

  #writeSoon(): void {
    const { clock, log } = this.#options
    this.#timer ??= clock.setTimer(gatewayLimits.webhookConfirmedWithinMs, () =>
      inBackground(this.write(), { what: 'deliveries could not be noted', log }),
    )
  }

  async #tryOn(): Promise<void> {
    const { clock, until } = this.#options
    this.#timer?.cancel()
    this.#timer = undefined
    while (!(await this.#isWritten()) && !until.aborted) await pause(clock, gatewayLimits.webhookRetryFirstMs, until)
    if (this.#waiting > 0 && !until.aborted) this.#writeSoon()
  }

  async #isWritten(): Promise<boolean> {
    const count = this.#waiting
    try {
      await this.#queue.confirmDelivered()
      this.#waiting -= count
      return true
    } catch (error) {
      const what = 'deliveries could not be noted; it is tried again'
      this.#options.faults.say(what, () => logFault(error, { what, log: this.#options.log }))
      return false
    }
  }
}
