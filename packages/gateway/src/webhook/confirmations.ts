// Records each delivery before the next one begins, in a write that survives a kill of the process.
import type { Log } from '@postern/core'
import { type Clock, gatewayLimits, type LogThrottle, logFault, pause } from '@postern/protocol'
import type { UpdateQueue } from '../queue/update-queue.ts'

export type ConfirmedQueue = Pick<UpdateQueue, 'noteDelivered' | 'confirmDelivered'>

export type ConfirmationsOptions = { clock: Clock; log: Log; faults: LogThrottle; until: AbortSignal }

/**
 * A kill repeats at most the update whose answer was not recorded. The write does not wait for the disk: a power cut may also
 * repeat the updates of the moments before it, under their ids.
 */
export class Confirmations {
  readonly #queue: ConfirmedQueue
  readonly #options: ConfirmationsOptions

  constructor(queue: ConfirmedQueue, options: ConfirmationsOptions) {
    this.#queue = queue
    this.#options = options
  }

  /**
   * Resolves when the next update may go out. A full disk does not repeat the delivery: only the confirmation is retried, until
   * the gateway stops.
   */
  async delivered(id: number): Promise<void> {
    const { clock, until } = this.#options
    this.#queue.noteDelivered(id)
    while (!(await this.write()) && !until.aborted) await pause(clock, gatewayLimits.webhookRetryFirstMs, until)
  }

  /** Whether everything that was delivered is recorded. */
  async write(): Promise<boolean> {
    try {
      await this.#queue.confirmDelivered()
      return true
    } catch (error) {
      const what = 'deliveries not recorded; will retry'
      this.#options.faults.say(what, () => logFault(error, { what, log: this.#options.log }))
      return false
    }
  }
}
