// How long to wait before a relay is dialled again, and when dialling again will not help.
import { type CodedError, clientLimits, isCoded } from '@postern/protocol'

/** Doubling from the first to the longest, each spread at random by up to half. */
export class ReconnectPauses {
  readonly #jitter: () => number
  #failures = 0

  constructor(jitter: () => number) {
    this.#jitter = jitter
  }

  nextMs(): number {
    const fullMs = Math.min(clientLimits.reconnectMaxMs, clientLimits.reconnectFirstMs * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, clientLimits.connectFailuresCountedMax)
    return fullMs / 2 + (fullMs / 2) * this.#jitter()
  }

  reset(): void {
    this.#failures = 0
  }

  /** The next is the longest. */
  lengthen(): void {
    this.#failures = clientLimits.connectFailuresCountedMax
  }
}

/** Trying again will not help: somebody has to do something about it. */
export const isHopeless = (error: unknown): error is CodedError =>
  isCoded(
    error,
    'account-unknown',
    'unauthenticated',
    'version-unsupported',
    'registration-closed',
    'invite-required',
    'invite-wrong',
    'invite-used',
    'invite-expired',
  )
