// Delivers the queue to the receiver: one update at a time, in order, each until it succeeds.
import { followJournal, type Log } from '@postern/core'
import { type Clock, gatewayLimits, LogThrottle, logFault, pause } from '@postern/protocol'
import type { Metrics } from '../metrics/metrics.ts'
import type { QueuedUpdate, UpdateQueue } from '../queue/update-queue.ts'
import type { Attempts } from './attempts.ts'
import { Confirmations, type ConfirmedQueue } from './confirmations.ts'
import type { DeliveryOutcome, UpdateReceiver } from './deliver.ts'

/** The queue without a name, or that of a named reader. */
export type DrainedQueue = ConfirmedQueue &
  Pick<UpdateQueue, 'onAppend' | 'read'> & {
    /** Before the first read, and before the one after a fault. */
    ready?: () => Promise<void>
  }

export type DrainOptions = {
  receiver: UpdateReceiver
  attempts: Attempts
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'webhookAttempts'>
}

export class WebhookDrain {
  readonly #queue: DrainedQueue
  readonly #options: DrainOptions
  readonly #stop = new AbortController()
  /** For the wait in progress. */
  #hurry = new AbortController()
  readonly #faults: LogThrottle
  readonly #confirmations: Confirmations
  readonly #running: Promise<void>

  constructor(queue: DrainedQueue, options: DrainOptions) {
    this.#queue = queue
    this.#options = options
    const { clock, log } = options
    this.#faults = new LogThrottle(clock, gatewayLimits.faultSaidEveryMs)
    this.#confirmations = new Confirmations(queue, { clock, log, faults: this.#faults, until: this.#stop.signal })
    this.#running = this.#run()
  }

  /** Ends the wait after a failure. */
  retryNow(): void {
    this.#options.attempts.makeDue()
    this.#hurry.abort()
  }

  /** The update in flight is abandoned: it is sent again, under its id, at the next start. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#confirmations.write()
    this.#options.receiver.close()
  }

  async #run(): Promise<void> {
    const until = this.#stop.signal
    // One update, read again before each attempt: meanwhile it may have been dropped, or its message deleted.
    const read = () => this.#queue.read(1)
    while (!until.aborted) {
      try {
        await this.#queue.ready?.()
        await this.#untilDue()
        for await (const [update] of followJournal(this.#queue, { read, until }))
          if (update) await this.#attempt(update)
      } catch (error) {
        this.#fault(error, 'the queue could not be read; it is tried again')
        await this.#pause(gatewayLimits.webhookRetryFirstMs)
      }
    }
  }

  async #untilDue(): Promise<void> {
    const dueInMs = this.#options.attempts.dueInMs()
    if (dueInMs <= 0) return
    this.#hurry = new AbortController()
    await pause(this.#options.clock, dueInMs, AbortSignal.any([this.#stop.signal, this.#hurry.signal]))
  }

  async #attempt(update: QueuedUpdate): Promise<void> {
    const { receiver, attempts, metrics } = this.#options
    attempts.begin()
    const outcome = await receiver.deliver(update, this.#stop.signal)
    if (outcome.kind === 'delivered' || outcome.kind === 'failed') metrics.webhookAttempts.add(outcome.kind)
    await this.#note(outcome, update.id)
  }

  async #note(outcome: DeliveryOutcome, id: number): Promise<void> {
    const { attempts, log } = this.#options
    switch (outcome.kind) {
      case 'stopped':
        break
      case 'passed':
        await this.#confirmations.delivered(id)
        break
      case 'delivered':
        await this.#confirmations.delivered(id)
        await this.#keep(attempts.succeeded())
        break
      case 'failed':
        await this.#keep(attempts.failed(outcome.error))
        log.warn(
          { update: id, attempts: attempts.known?.attempts, retryInMs: attempts.dueInMs(), reason: outcome.error },
          'update not delivered; will retry',
        )
        await this.#untilDue()
        break
    }
  }

  async #keep(keeping: Promise<void>): Promise<void> {
    try {
      await keeping
    } catch (error) {
      this.#fault(error, 'webhook state not saved')
    }
  }

  #fault(error: unknown, what: string): void {
    this.#faults.say(what, () => logFault(error, { what, log: this.#options.log }))
  }

  async #pause(forMs: number): Promise<void> {
    await pause(this.#options.clock, forMs, this.#stop.signal)
  }
}
