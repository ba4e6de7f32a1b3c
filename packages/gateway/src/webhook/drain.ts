// Brings the queue to the receiver: one update at a time, strictly in order, each until it is delivered.
import type { WebhookStatus } from '@postern/bot-api/objects'
import type { Log } from '@postern/core'
import { type Clock, gatewayLimits, logFault, Seldom } from '@postern/protocol'
import type { Metrics } from '../metrics/metrics.ts'
import type { UpdateQueue } from '../updates/update-queue.ts'
import type { Attempts } from './attempts.ts'
import type { Outcome, Receiver } from './deliver.ts'

export type DrainOptions = { receiver: Receiver; attempts: Attempts; clock: Clock; log: Log; metrics: Metrics }

export class WebhookDrain {
  readonly #queue: UpdateQueue
  readonly #options: DrainOptions
  readonly #stop = new AbortController()
  readonly #faults: Seldom
  readonly #running: Promise<void>

  constructor(queue: UpdateQueue, options: DrainOptions) {
    this.#queue = queue
    this.#options = options
    this.#faults = new Seldom(options.clock, gatewayLimits.faultSaidEveryMs)
    this.#running = this.#run()
  }

  status(): Omit<WebhookStatus, 'pending'> {
    const { known, lastAttemptTs } = this.#options.attempts
    return {
      enabled: true,
      ...(lastAttemptTs !== undefined && { last_attempt_ts: lastAttemptTs }),
      ...(known && { last_error: known.lastError, last_error_ts: known.lastErrorTs }),
      ...(known?.nextAttemptTs !== undefined && { next_attempt_ts: known.nextAttemptTs }),
    }
  }

  /** The update in flight is given up: it is sent again, under its id, at the next start. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    this.#options.receiver.close()
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#step()
      } catch (error) {
        this.#fault(error, 'the queue could not be read; it is tried again')
        await this.#pause(gatewayLimits.webhookRetryFirstMs)
      }
    }
  }

  async #step(): Promise<void> {
    const { receiver, attempts, metrics } = this.#options
    const dueInMs = attempts.dueInMs()
    if (dueInMs > 0) await this.#pause(dueInMs)
    if (this.#stop.signal.aborted) return
    // Read anew before each attempt: meanwhile it may have been dropped, or its message deleted.
    const [update] = this.#queue.read(1)
    if (!update) return await this.#appended()
    attempts.begin()
    const outcome = await receiver.deliver(update, this.#stop.signal)
    if (outcome.kind !== 'stopped') metrics.webhookAttempts.add(outcome.kind)
    await this.#note(outcome, update.id)
  }

  async #note(outcome: Outcome, id: number): Promise<void> {
    const { attempts, log } = this.#options
    switch (outcome.kind) {
      case 'stopped':
        break
      case 'delivered':
        await this.#confirm(id)
        await this.#keep(attempts.succeeded())
        break
      case 'failed':
        await this.#keep(attempts.failed(outcome.error))
        log.warn(
          { update: id, attempts: attempts.known?.attempts, retryInMs: attempts.dueInMs(), reason: outcome.error },
          'an update could not be delivered; it is tried again',
        )
        break
    }
  }

  /** What was delivered is not sent again because the disk is full: only the confirmation is tried again. */
  async #confirm(id: number): Promise<void> {
    for (;;) {
      try {
        return await this.#queue.confirmDelivered(id)
      } catch (error) {
        this.#fault(error, 'a delivery could not be noted; it is tried again')
        if (this.#stop.signal.aborted) return
        await this.#pause(gatewayLimits.webhookRetryFirstMs)
      }
    }
  }

  async #keep(keeping: Promise<void>): Promise<void> {
    try {
      await keeping
    } catch (error) {
      this.#fault(error, 'the state of the webhook could not be kept')
    }
  }

  #fault(error: unknown, what: string): void {
    this.#faults.say(what, () => logFault(error, { what, log: this.#options.log }))
  }

  async #pause(forMs: number): Promise<void> {
    await this.#until(wake => {
      const timer = this.#options.clock.setTimer(forMs, wake)
      return () => timer.cancel()
    })
  }

  /** Called right after a read that found nothing: no update can come in between. */
  async #appended(): Promise<void> {
    await this.#until(wake => this.#queue.onAppend(wake))
  }

  async #until(subscribe: (wake: () => void) => () => void): Promise<void> {
    if (this.#stop.signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => resolve()
    const unsubscribe = subscribe(wake)
    this.#stop.signal.addEventListener('abort', wake)
    await promise
    unsubscribe()
    this.#stop.signal.removeEventListener('abort', wake)
  }
}
