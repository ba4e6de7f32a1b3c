// Caches the keys for an object store and renews them before they expire, with one request for all callers.
import { type Clock, type Log, logFault, relayFixedLimits } from '@postern/protocol'
import type { S3Credentials } from '../blob-place.ts'

/** `expiresMs`: undefined if unknown. `isFixed`: the keys do not change while the process runs. */
export type FetchedCredentials = { credentials: S3Credentials; expiresMs?: number | undefined; isFixed?: boolean }

type Held = FetchedCredentials & { refreshMs: number }

const { credentialsEarlyMs, credentialsRetryMs } = relayFixedLimits

export class CredentialCache {
  readonly #fetch: () => Promise<FetchedCredentials>
  readonly #clock: Clock
  readonly #log: Log
  #held: Held | undefined
  #fetching: Promise<void> | undefined

  constructor(fetch: () => Promise<FetchedCredentials>, { clock, log }: { clock: Clock; log: Log }) {
    this.#fetch = fetch
    this.#clock = clock
    this.#log = log
  }

  /** Throws the error of the renewal if no valid keys are left. */
  async current(): Promise<S3Credentials> {
    if (!this.#held || this.#clock.nowMs() >= this.#held.refreshMs) await (this.#fetching ??= this.#refresh())
    if (!this.#held) throw new Error('there are no credentials')
    return this.#held.credentials
  }

  /** The store has rejected the current keys. Returns whether the next request will use renewed ones. */
  refused(): boolean {
    if (!this.#held || this.#held.isFixed) return false
    this.#held.refreshMs = 0
    return true
  }

  async #refresh(): Promise<void> {
    try {
      const fetched = await this.#fetch()
      this.#held = { ...fetched, refreshMs: this.#refreshMsOf(fetched) }
    } catch (error) {
      const held = this.#held
      const nowMs = this.#clock.nowMs()
      if (!held || nowMs >= (held.expiresMs ?? Number.POSITIVE_INFINITY)) throw error
      // The old keys are still valid: no request fails because the source of the new ones does not answer.
      held.refreshMs = Math.min(nowMs + credentialsRetryMs, held.expiresMs ?? Number.POSITIVE_INFINITY)
      logFault(error, { what: 'credentials of the blob store not renewed; will retry', log: this.#log })
    } finally {
      this.#fetching = undefined
    }
  }

  #refreshMsOf({ expiresMs, isFixed }: FetchedCredentials): number {
    if (isFixed) return Number.POSITIVE_INFINITY
    const soonestMs = this.#clock.nowMs() + credentialsRetryMs
    if (expiresMs === undefined) return soonestMs
    return Math.min(expiresMs, Math.max(expiresMs - credentialsEarlyMs, soonestMs))
  }
}
