// Retries an upload or a download while the relay is unreachable, as long as it makes progress from time to time.
import { type Clock, CodedError, clientLimits, pause, type Timer, unlessAborted } from '@postern/protocol'
import { isUnanswered } from '../../relay-link/relay-answers.ts'
import type { RelayLink } from '../../relay-link/relay-link.ts'

type Parts = { readonly link: RelayLink; readonly clock: Clock }

export class TransferRetry {
  readonly #parts: Parts
  readonly #signal: AbortSignal
  #movedMs: number
  #failures = 0

  constructor(parts: Parts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
    this.#movedMs = parts.clock.monotonicMs()
  }

  /** Bytes were sent, or there was nothing to do: the time without progress begins here. */
  moved(): void {
    this.#movedMs = this.#parts.clock.monotonicMs()
  }

  /** Bytes have arrived. Bytes that were only sent may have been lost repeatedly. */
  arrived(): void {
    this.moved()
    this.#failures = 0
  }

  /** Waits until another try makes sense. Throws errors that no other try will change, and when the time is up. */
  async afterFailure(cause: unknown): Promise<void> {
    this.#signal.throwIfAborted()
    if (!isUnanswered(cause)) throw cause
    const { link, clock } = this.#parts
    this.#failures += 1
    const pauseMs = Math.min(clientLimits.fileRetryMaxMs, clientLimits.fileRetryFirstMs * 2 ** (this.#failures - 1))
    if (this.#failures > clientLimits.fileTriesMax || this.#leftMs() <= pauseMs)
      throw new CodedError('relay-unreachable', {}, { cause })
    await pause(clock, pauseMs, this.#signal)
    this.#signal.throwIfAborted()
    await unlessAborted(link.whenOnline(Math.max(0, this.#leftMs())), this.#signal)
  }

  #leftMs(): number {
    return this.#movedMs + clientLimits.fileStallMs - this.#parts.clock.monotonicMs()
  }
}

/** Ends one exchange with the relay when it is silent for too long although something is expected of it. */
export class StallGuard {
  readonly signal: AbortSignal
  readonly #clock: Clock
  readonly #stalled = new AbortController()
  #timer: Timer | undefined

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.signal = AbortSignal.any([signal, this.#stalled.signal])
    this.touch()
  }

  get isResting(): boolean {
    return this.#timer === undefined
  }

  touch(): void {
    this.rest()
    this.#timer = this.#clock.setTimer(clientLimits.fileStallMs, () =>
      this.#stalled.abort(new CodedError('relay-unreachable')),
    )
  }

  /** Nothing is expected of the relay now. Also called at the end. */
  rest(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }
}
