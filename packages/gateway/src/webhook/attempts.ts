// The state of webhook delivery: failures in a row, their reason, and the time of the next attempt. Survives restarts.
import { hash } from 'node:crypto'
import type { WebhookStatus } from '@postern/bot-api/objects'
import type { ElapsedClock } from '@postern/core'
import { type Clock, gatewayLimits } from '@postern/protocol'
import type { DeliveryState } from '../queue/operator-state.ts'

/** Where the state is kept: `keep` resolves when it is durable. */
export type DeliveryMemory = {
  readonly delivery: DeliveryState | undefined
  keep(change: { delivery: DeliveryState }): Promise<void>
}

export type AttemptsOptions = {
  url: string
  state: DeliveryMemory
  clock: Clock
  elapsed: Pick<ElapsedClock, 'nowMs'>
}

export class Attempts {
  readonly #urlHash: string
  readonly #state: DeliveryMemory
  readonly #clock: Clock
  readonly #elapsed: Pick<ElapsedClock, 'nowMs'>
  #known: DeliveryState | undefined
  #lastAttemptTs: number | undefined
  /** In this run: a success that follows another is not stored. */
  #succeededMonotonicMs: number
  /**
   * After a failure in this run. The elapsed time jumps at the first answer of the relay, by the time that the gateway
   * was off.
   */
  #dueMonotonicMs: number | undefined

  constructor({ url, state, clock, elapsed }: AttemptsOptions) {
    this.#urlHash = hash('sha256', url)
    this.#state = state
    this.#clock = clock
    this.#elapsed = elapsed
    this.#known = state.delivery?.urlHash === this.#urlHash ? state.delivery : undefined
    this.#lastAttemptTs = this.#known?.lastAttemptTs
    this.#succeededMonotonicMs = clock.monotonicMs()
  }

  get known(): DeliveryState | undefined {
    return this.#known
  }

  /** Since the last success, or since the start. */
  sinceSuccessMs(): number {
    return this.#clock.monotonicMs() - this.#succeededMonotonicMs
  }

  /** 0 when the next attempt may begin. */
  dueInMs(): number {
    const here = this.#dueMonotonicMs
    const dueInMs = here === undefined ? this.#dueAfterStartMs() : here - this.#clock.monotonicMs()
    return Math.min(Math.max(0, dueInMs), gatewayLimits.webhookRetryMaxMs)
  }

  /**
   * After a failure in an earlier run: the earlier of the elapsed time and the clock, which includes the time in
   * between.
   */
  #dueAfterStartMs(): number {
    const { nextAttemptTs = 0, dueMs = 0 } = this.#known ?? {}
    return Math.min(nextAttemptTs - this.#clock.nowMs(), dueMs - this.#elapsed.nowMs())
  }

  /** After a failure: the next attempt may begin now. The number of failures stays. */
  makeDue(): void {
    if (!this.#known) return
    this.#dueMonotonicMs = this.#clock.monotonicMs()
    const { nextAttemptTs: _, dueMs: __, ...rest } = this.#known
    this.#known = rest
  }

  status(): Omit<WebhookStatus, 'pending' | 'enabled'> {
    const known = this.#known
    return {
      ...(this.#lastAttemptTs !== undefined && { last_attempt_ts: this.#lastAttemptTs }),
      ...(known && { last_error: known.lastError, last_error_ts: known.lastErrorTs }),
      ...(known?.nextAttemptTs !== undefined && { next_attempt_ts: known.nextAttemptTs }),
    }
  }

  begin(): void {
    this.#lastAttemptTs = this.#clock.nowMs()
  }

  /** A failure that cannot be stored is lost only with the process: the next attempt is due at the same time. */
  async failed(error: string): Promise<void> {
    const nowMs = this.#clock.nowMs()
    const attempts = (this.#known?.attempts ?? 0) + 1
    const delayMs = retryDelayMs(attempts)
    this.#dueMonotonicMs = this.#clock.monotonicMs() + delayMs
    this.#known = {
      urlHash: this.#urlHash,
      attempts,
      nextAttemptTs: nowMs + delayMs,
      dueMs: this.#elapsed.nowMs() + delayMs,
      lastAttemptTs: this.#lastAttemptTs ?? nowMs,
      lastError: error,
      lastErrorTs: nowMs,
    }
    await this.#state.keep({ delivery: this.#known })
  }

  /** Stored once after failures, never for a success that follows another. */
  async succeeded(): Promise<void> {
    this.#succeededMonotonicMs = this.#clock.monotonicMs()
    if (!this.#known || this.#known.attempts === 0) return
    const { nextAttemptTs: _, dueMs: __, ...rest } = this.#known
    this.#known = { ...rest, attempts: 0, lastAttemptTs: this.#lastAttemptTs ?? rest.lastAttemptTs }
    await this.#state.keep({ delivery: this.#known })
  }
}

/** 1, 2, 4 … 300 seconds after the first, second, third … failure in a row. */
const retryDelayMs = (attempts: number): number =>
  Math.min(gatewayLimits.webhookRetryFirstMs * 2 ** Math.min(attempts - 1, 16), gatewayLimits.webhookRetryMaxMs)
