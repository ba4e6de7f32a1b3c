// How long to wait before a relay is dialled again, and when dialling again will not help.
import { CodedError, clientLimits, isCoded } from '@postern/protocol'
import { PROTOCOL_VERSION, PROTOCOL_VERSION_BEFORE } from '@postern/protocol/relay'
import { VERSION_GOODBYE } from './socket.ts'

/** Of a pause that the relay has named. */
const TOLD_SPREAD = 0.1

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

  /**
   * Until the relay said that it can be asked again, and a little longer: clients that were told the same time must not come
   * together. A relay cannot keep its clients away for longer than the longest pause.
   */
  toldMs(afterMs: number): number {
    const { reconnectFirstMs, reconnectMaxMs } = clientLimits
    const toldMs = Math.min(Math.max(afterMs, reconnectFirstMs), reconnectMaxMs)
    return toldMs + toldMs * TOLD_SPREAD * this.#jitter()
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
    // Of our own: what was restored cannot be used.
    'database-damaged',
    'unauthenticated',
    'version-unsupported',
    'registration-closed',
    'invite-required',
    'invite-wrong',
    'invite-used',
    'invite-expired',
    'account-banned',
  )

/** Of a relay that says goodbye because it knows no such version: were it newer than this program, its first word had said so. */
export const goodbyeRefusal = (reason: string): CodedError | undefined =>
  reason === VERSION_GOODBYE
    ? new CodedError('version-unsupported', { version: PROTOCOL_VERSION_BEFORE, spoken: PROTOCOL_VERSION })
    : undefined
