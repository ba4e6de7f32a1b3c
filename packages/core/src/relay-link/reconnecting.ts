// How long to wait before dialling a relay again, and when dialling again will not help.
import { CodedError, clientLimits, isCoded } from '@postern/protocol'
import { PROTOCOL_VERSION, PROTOCOL_VERSION_BEFORE } from '@postern/protocol/relay'
import { VERSION_GOODBYE } from './socket.ts'

/** The random part added to a pause that the relay has named. */
const TOLD_SPREAD = 0.1

/**
 * Doubling from the first to the longest. Each pause is drawn from all of its length: clients that lost a relay together must
 * not come back together.
 */
class ReconnectPauses {
  readonly #jitter: () => number
  #failures = 0
  #isLengthened = false

  constructor(jitter: () => number) {
    this.#jitter = jitter
  }

  nextMs(): number {
    const fullMs = Math.min(clientLimits.reconnectMaxMs, clientLimits.reconnectFirstMs * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, clientLimits.connectFailuresCountedMax)
    const shortestMs = this.#isLengthened ? fullMs / 2 : clientLimits.reconnectFirstMs / 2
    return shortestMs + (fullMs - shortestMs) * this.#jitter()
  }

  /**
   * A pause until the time that the relay named, and a little longer: clients with the same time must not reconnect
   * together. A relay cannot keep its clients away for longer than the longest pause. Undefined when it named none.
   * `relayMs`: the relay's own clock, because the clock of this machine may be wrong by hours.
   */
  toldMs(error: unknown, relayMs: number | undefined): number | undefined {
    const retryAtMs = isCoded(error, 'relay-failing') ? error.details['retryAtMs'] : undefined
    if (typeof retryAtMs !== 'number' || relayMs === undefined) return undefined
    const { reconnectFirstMs, reconnectMaxMs } = clientLimits
    const toldMs = Math.min(Math.max(retryAtMs - relayMs, reconnectFirstMs), reconnectMaxMs)
    return toldMs + toldMs * TOLD_SPREAD * this.#jitter()
  }

  /**
   * How long a relay may take to answer a dial and the login. Drawn at random: clients that dialled a busy relay
   * together must not give up together.
   */
  patienceMs(): number {
    const { connectTimeoutMs, connectTimeoutMsMax } = clientLimits
    return connectTimeoutMs + (connectTimeoutMsMax - connectTimeoutMs) * this.#jitter()
  }

  reset(): void {
    this.#failures = 0
    this.#isLengthened = false
  }

  /** The next ones are the longest, and none is short by chance: somebody else uses the same keys. */
  lengthen(): void {
    this.#isLengthened = true
    this.#failures = clientLimits.connectFailuresCountedMax
  }
}

/** The pauses of a link. After a doubted connection they double until an entry is read, also if the next session begins well. */
export class LinkPauses extends ReconnectPauses {
  readonly #afterDoubts: ReconnectPauses

  constructor(jitter: () => number) {
    super(jitter)
    this.#afterDoubts = new ReconnectPauses(jitter)
  }

  afterMs({ isDoubted = false }: { isDoubted?: boolean }): number {
    const pauseMs = this.nextMs()
    return isDoubted ? Math.max(this.#afterDoubts.nextMs(), pauseMs) : pauseMs
  }

  noteNews(): void {
    this.#afterDoubts.reset()
  }
}

/** Retrying will not help: a person has to act. */
export const isHopeless = (error: unknown): error is CodedError =>
  isCoded(
    error,
    'account-unknown',
    // Our own error: the restored database cannot be used.
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

/**
 * For a relay that closes the connection because it knows no such version. A relay that is newer than this program
 * would have said so in its first frame.
 */
export const goodbyeRefusal = (reason: string): CodedError | undefined =>
  reason === VERSION_GOODBYE
    ? new CodedError('version-unsupported', { version: PROTOCOL_VERSION_BEFORE, spoken: PROTOCOL_VERSION })
    : undefined
